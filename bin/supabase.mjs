#!/usr/bin/env node
// Runs Plinth with the command name that existing scripts use. `plinth alias supabase` makes a project use this file.
import { launch } from './launch.mjs';

await launch('../src/entry/cli/main.ts', 'supabase');
