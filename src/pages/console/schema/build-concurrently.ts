/**
 * Builds an index without blocking writes. PostgreSQL doesn't allow this in a transaction, so the migration is saved in
 * a separate transaction afterward.
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import { applyChanges, type WriteMigration } from './apply.ts';
import type { SchemaChange } from './changes.ts';

type IndexChange = Extract<SchemaChange, { kind: 'create_index' }>;

/** The time that building and waiting for older transactions may take. */
const buildTimeoutMs = 600_000;

/** Returns the change that builds an index concurrently. @throws {ConsoleError} if there are other changes */
export function concurrentBuild(changes: readonly SchemaChange[]): IndexChange | undefined {
  const build = changes.find(
    (change): change is IndexChange => change.kind === 'create_index' && change.concurrently === true,
  );
  if (build === undefined) return undefined;
  if (changes.length > 1)
    throw new ConsoleError('bad_request', {
      message: 'An index that is built concurrently can’t be combined with other changes.',
    });
  // Without the name, an index that couldn't be completed couldn't be found.
  if (build.name === undefined)
    throw new ConsoleError('bad_request', {
      message: 'Enter a name for an index that is built concurrently.',
    });
  return build;
}

/** Builds the index. If this fails, drops what PostgreSQL leaves behind, and returns the path to the migration file. */
export async function buildConcurrently(
  pool: Pool,
  { schema, name = '' }: IndexChange,
  statement: string,
  migration: { readonly name: string; readonly write: WriteMigration } | undefined,
): Promise<string | undefined> {
  const isNew = !(await exists(pool, schema, name));
  const session = await pool.connect();
  try {
    await session.query(sql`
      select pg_catalog.set_config('statement_timeout', ${String(buildTimeoutMs)}, false),
        pg_catalog.set_config('standard_conforming_strings', 'on', false)`);
    try {
      await session.query(sql.raw(statement));
    } catch (error) {
      if (isNew && (await isAbandoned(session, schema, name)))
        await session.query(sql`drop index concurrently if exists ${sql.id(schema, name)}`);
      throw error;
    }
  } finally {
    session.release();
  }
  if (migration === undefined) return undefined;
  try {
    return await applyChanges(pool, [], {
      ...migration,
      write: (tx, file) => migration.write(tx, file, [statement]),
    });
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    throw new ConsoleError(error.code, {
      ...error.fields,
      message: `The index was created, but its migration wasn’t saved. ${error.fields.message ?? error.message}`,
    });
  }
}

const exists = async (db: Queryable, schema: string, name: string): Promise<boolean> =>
  (await db.query(found(schema, name))).length > 0;

const found = (schema: string, name: string) => sql`
  select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = ${schema} and c.relname = ${name}`;

/** Whether the index is invalid and no session is building it. */
const isAbandoned = async (db: Queryable, schema: string, name: string): Promise<boolean> =>
  (
    await db.query(sql`
      select from pg_catalog.pg_index x where x.indexrelid in (${found(schema, name)}) and not x.indisvalid
        and not exists (select from pg_catalog.pg_stat_progress_create_index p where p.index_relid = x.indexrelid)`)
  ).length > 0;
