#!/usr/bin/env node
// Plinth under the name that existing scripts call.
import { launch } from './launch.mjs';

await launch('../src/cli/main.ts', 'supabase');
