/**
 * Writes the compiled modules to NODE_COMPILE_CACHE after each file, because workers are terminated without a regular
 * exit.
 */
import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

afterAll(() => flushCompileCache());
