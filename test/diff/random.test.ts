/**
 * Tests that the difference between two random schemas turns the first schema into the second, and that the reverse
 * difference turns the second into the first. By default, a few fixed seeds are used.
 * `PLINTH_DIFF_RUNS=50 npm test -- test/diff/random.test.ts` uses more random seeds, and PLINTH_DIFF_SEED repeats a
 * specific seed.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { createOwner, dropOwner } from './helpers.ts';
import { ddl } from './random-ddl.ts';
import { turnsIntoEachOther } from './random-pair.ts';

const { PLINTH_DIFF_RUNS: manyRuns, PLINTH_DIFF_SEED: oneSeed } = process.env;
const runs = Number(manyRuns ?? 2);
const seed = oneSeed !== undefined ? Number(oneSeed) : manyRuns === undefined ? 1 : Date.now() % 1_000_000;
vi.setConfig({ testTimeout: 240_000 + runs * 60_000, hookTimeout: 120_000 });

beforeAll(createOwner);
afterAll(dropOwner);

test('the difference of two random schemas turns each into the other', async () => {
  await fc.assert(fc.asyncProperty(ddl(60), ddl(30), turnsIntoEachOther), {
    numRuns: runs,
    seed,
    endOnFailure: true,
  });
});
