#!/usr/bin/env node
/**
 * The program that a project's own `supabase` package runs (`plinth alias supabase`). The npm package doesn't install it as
 * a command, because it would replace the command of the upstream CLI without being asked.
 */
import { launch } from './launch.ts';

await launch('supabase');
