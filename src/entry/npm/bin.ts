#!/usr/bin/env node
/** The command `plinth` of the npm package. */
import { launch } from './launch.ts';

await launch('plinth');
