/**
 * Tests random schemas: the difference turns the first into the second, and back. By default, a few fixed seeds are
 * used. `PLINTH_DIFF_RUNS=50 npm test -- test/diff/random.test.ts` uses more random ones, and PLINTH_DIFF_SEED repeats
 * one.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  apply,
  type ComparedDatabase,
  catalogs,
  createDatabase,
  createOwner,
  diffOf,
  dropOwner,
} from './helpers.ts';
import { ddl } from './random-ddl.ts';

const { PLINTH_DIFF_RUNS: manyRuns, PLINTH_DIFF_SEED: oneSeed } = process.env;
const runs = Number(manyRuns ?? 2);
const seed = oneSeed !== undefined ? Number(oneSeed) : manyRuns === undefined ? 1 : Date.now() % 1_000_000;
vi.setConfig({ testTimeout: 240_000 + runs * 60_000, hookTimeout: 120_000 });

beforeAll(createOwner);
afterAll(dropOwner);

test('the difference of two random schemas turns each into the other', async () => {
  await fc.assert(
    fc.asyncProperty(ddl(60), ddl(30), async (first, second) => {
      const databases: ComparedDatabase[] = [];
      const create = async (template?: ComparedDatabase): Promise<ComparedDatabase> => {
        const database = await createDatabase(template?.name);
        databases.push(database);
        return database;
      };
      try {
        const a = await create();
        const empty = await create();
        await runAll(a, ['create schema app', ...first]);
        const b = await create(a);
        await runAll(b, second);
        await become(await create(a), b, { positions: false });
        await become(await create(b), a, { positions: false });
        await become(empty, b, { positions: true });
      } finally {
        for (const database of databases) await database.drop();
      }
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
});

/** Statements that fail are skipped. */
async function runAll(database: ComparedDatabase, statements: readonly string[]): Promise<void> {
  await database.run(async (client) => {
    for (const statement of statements) await client.exec(statement).catch(() => undefined);
  });
}

async function become(
  database: ComparedDatabase,
  wanted: ComparedDatabase,
  options: { readonly positions: boolean },
): Promise<void> {
  await apply(database, await diffOf(database, wanted));
  expect((await diffOf(database, wanted)).statements).toEqual([]);
  expect(await catalogs(database, options)).toEqual(await catalogs(wanted, options));
}
