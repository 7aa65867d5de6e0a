/**
 * Compares pairs of random schemas, one pair per seed, and checks that the generated diffs turn each schema of a pair
 * into the other schema. Prints the seeds that fail.
 *
 *     node scripts/projects/random-diff.ts [FIRST SEED] [NUMBER OF SEEDS]
 */
import fc from 'fast-check';
import { stopTestCluster } from '../../src/entry/testing.ts';
import { createOwner, dropOwner } from '../../test/diff/helpers.ts';
import { ddl } from '../../test/diff/random-ddl.ts';
import { turnsIntoEachOther } from '../../test/diff/random-pair.ts';

const first = Number(process.argv[2] ?? 1);
const count = Number(process.argv[3] ?? 100);
const failed: number[] = [];
await createOwner();
try {
  for (let seed = first; seed < first + count; seed += 1) {
    const [pair] = fc.sample(fc.tuple(ddl(60), ddl(30)), { seed, numRuns: 1 });
    if (pair === undefined) continue;
    try {
      await turnsIntoEachOther(...pair);
    } catch (error) {
      failed.push(seed);
      console.log(`seed ${seed}: ${(error as Error).message.slice(0, 2000)}`);
    }
    if (seed % 10 === 0) console.log(`${seed - first + 1} compared, ${failed.length} failed`);
  }
} finally {
  await dropOwner();
  await stopTestCluster();
}
console.log(failed.length === 0 ? 'no failures' : `failed seeds: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
