#!/usr/bin/env node
// Runs Plinth with the command name that existing scripts use.
import { launch } from './launch.mjs';

await launch('../src/entry/cli/main.ts', 'supabase');
