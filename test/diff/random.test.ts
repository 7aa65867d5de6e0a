/**
 * Tests random schemas: the difference turns the first into the second, and back. Some differences are known to remain,
 * so this test runs only manually: `PLINTH_DIFF_RUNS=50 npm test -- test/diff/random.test.ts`.
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

const runs = Number(process.env.PLINTH_DIFF_RUNS ?? 0);
vi.setConfig({ testTimeout: 120_000 + runs * 30_000, hookTimeout: 120_000 });

beforeAll(createOwner);
afterAll(dropOwner);

test.runIf(runs > 0)('the difference of two random schemas turns each into the other', async () => {
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
    { numRuns: runs, endOnFailure: true },
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
