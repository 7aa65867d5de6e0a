#!/usr/bin/env node
// Runs Plinth from the source files, without a bundle.
import { launch } from './launch.mjs';

await launch('../src/entry/cli/main.ts');
