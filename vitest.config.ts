import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { TimesReporter } from './test/run/file-times.ts';
import { FlakyReporter } from './test/run/flaky.ts';
import { LongestFirst } from './test/run/longest-first.ts';
import { apart, mocked } from './test/run/processes.ts';
import { moveTemporaryFolder } from './test/run/temporary-folder.ts';

/** The folder in memory for temporary files. */
const memory = moveTemporaryFolder();

/**
 * The folder for the auth responses that tests record, which are checked at the end of the run (test/auth/coverage).
 */
const authResponses = process.env.AUTH_ANSWERS ?? mkdtempSync(join(tmpdir(), 'plinth-auth-answers-'));
if (process.env.AUTH_ANSWERS === undefined) {
  process.on('exit', () => rmSync(authResponses, { recursive: true, force: true }));
}

const unit = ['src/**/*.test.ts', 'web/**/*.test.ts'];
const coverage = 'test/auth/coverage/coverage.test.ts';
const record = ['test/auth/coverage/record.ts'];
const setup = ['test/run/choose-temporary-folder.ts', 'test/run/compile-cache.ts'];

/** Node stores compiled modules here, for later workers and for the processes that tests start. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'plinth-tests');

/** docs/decisions/0041-test-run.md explains the projects. */
export default defineConfig({
  test: {
    // The timeouts are long because tests start real servers and browsers, which are slow on two busy cores. A test
    // reaches its timeout only if it hangs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    retry: process.env.CI === undefined ? 0 : 1,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    maxWorkers: 3,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    tags: [
      { name: 'package', description: 'Tests of the npm package. `npm test` skips them.' },
      { name: 'states', description: 'States of pages. `npm test` skips them.' },
      {
        name: 'with-states',
        description: 'Tests that `npm run test:states` repeats with checks of page states.',
      },
    ],
    reporters: ['default', new TimesReporter(), new FlakyReporter()],
    provide: { authResponses, memory },
    projects: [
      { extends: true, test: { name: 'unit', include: unit, isolate: false } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [coverage, ...apart, ...mocked],
          isolate: false,
          setupFiles: [...setup, 'test/run/clean-up.ts', ...record],
        },
      },
      {
        extends: true,
        test: {
          name: 'apart',
          include: [...apart],
          setupFiles: [...setup, ...record],
        },
      },
      {
        extends: true,
        test: {
          name: 'mocked',
          include: [...mocked],
          setupFiles: record,
          experimental: { viteModuleRunner: true },
        },
      },
      {
        extends: true,
        test: { name: 'coverage', include: [coverage], sequence: { groupOrder: 1, sequencer: LongestFirst } },
      },
    ],
  },
});
