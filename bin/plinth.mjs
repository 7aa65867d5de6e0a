#!/usr/bin/env node
// Runs the sources as they are.
import { launch } from './launch.mjs';

await launch('../src/cli/main.ts');
