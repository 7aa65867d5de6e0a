/** Defines the property that the differences between two random schemas must have. */
import assert from 'node:assert/strict';
import { apply, type ComparedDatabase, catalogs, createDatabase, diffOf } from './helpers.ts';

/**
 * Creates a schema from the first statements, and another schema from all statements. Throws unless the differences
 * turn each schema into the other schema, and an empty database into the second schema.
 */
export async function turnsIntoEachOther(first: readonly string[], second: readonly string[]): Promise<void> {
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
}

/** Runs statements and skips those that fail. */
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
  assert.deepEqual((await diffOf(database, wanted)).statements, []);
  assert.deepEqual(await catalogs(database, options), await catalogs(wanted, options));
}
