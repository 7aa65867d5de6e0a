/** Runs before each test file. */
import { relative } from 'node:path';
import { expect, inject } from 'vitest';
import { chooseTemporaryFolder } from './temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder in memory for temporary files, if there is one. */
    memory: string | undefined;
  }
}

chooseTemporaryFolder(
  inject('memory'),
  relative(process.cwd(), expect.getState().testPath ?? '').replaceAll('\\', '/'),
);
