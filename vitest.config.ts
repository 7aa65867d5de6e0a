import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What tests see of the auth service, judged at the end of the run (test/auth/coverage). */
const authAnswers = process.env.AUTH_ANSWERS ?? mkdtempSync(join(tmpdir(), 'plinth-auth-answers-'));
if (process.env.AUTH_ANSWERS === undefined) {
  process.on('exit', () => rmSync(authAnswers, { recursive: true, force: true }));
}

/** Files with the most text first, as Vitest does; before them those that take minutes and have little of it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/test/account/keyboard/');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const coverage = 'test/auth/coverage/coverage.test.ts';

export default defineConfig({
  test: {
    // Tests start real servers and browsers; on two busy cores that takes its time.
    testTimeout: 30_000,
    hookTimeout: 90_000,
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    provide: { authAnswers },
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.{ts,tsx}'],
          exclude: [coverage],
          setupFiles: ['test/auth/coverage/record.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'coverage', include: [coverage], sequence: { groupOrder: 1, sequencer: LongestFirst } },
      },
    ],
  },
});
