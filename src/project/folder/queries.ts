/** The SQL statements for upstream's history tables and Plinth's own records. */

import { sql } from '../../base/kernel/sql.ts';
import type { PostgresErrorShape, Queryable } from '../../platform/database/types.ts';
import type { SkippedStatement } from './core/failures.ts';

/**
 * Makes a transaction's commit return without flushing to disk. The next commit that flushes to disk includes this
 * transaction.
 */
const withoutFlush = 'set local synchronous_commit = off;';

/** The settings for Plinth's own statements in a user's transaction. */
const shield = {
  role: 'none',
  search_path: '',
  client_encoding: 'UTF8',
  statement_timeout: '0',
  lock_timeout: '0',
  row_security: 'on',
} as const;

const eachSetting = (call: (name: string, value: string) => string): string =>
  `select ${Object.entries(shield)
    .map(([name, value]) => call(name, value))
    .join()};`;
const saveAll = eachSetting(
  (name) => `pg_catalog.set_config('plinth.file_${name}', pg_catalog.current_setting('${name}'), true)`,
);
const shieldAll = eachSetting((name, value) => `pg_catalog.set_config('${name}', '${value}', true)`);
const restoreAll = eachSetting(
  (name) => `pg_catalog.set_config('${name}', pg_catalog.current_setting('plinth.file_${name}'), true)`,
);

/**
 * Runs Plinth's own statements in a user's transaction, with settings that make them run as the login role and refer to
 * the intended objects, regardless of the role, search_path or timeout that the file has set. Afterward, the file's
 * settings apply again, because its deferred triggers run when the transaction is committed. The server keeps the
 * file's settings, because they may contain characters that can't be decoded in the file's encoding.
 */
export async function shieldedFromFile<T>(
  tx: Queryable,
  isFlushedLater: boolean,
  work: () => Promise<T>,
): Promise<T> {
  await tx.exec(`${saveAll}${shieldAll}${isFlushedLater ? withoutFlush : ''}`);
  const result = await work();
  await tx.exec(restoreAll);
  return result;
}

/** Whether the file has made the transaction read-only. Such a transaction can't become writable again. */
export async function isReadOnlyTransaction(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ mode: string }>(
    sql`select current_setting('transaction_read_only') as mode`,
  );
  return row?.mode === 'on';
}

const createHistory = `
create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
alter table supabase_migrations.schema_migrations add column if not exists statements text[];
alter table supabase_migrations.schema_migrations add column if not exists name text;
create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);`;

/** Creates the schema and tables with the names that upstream's CLI uses, unless they exist. */
export async function ensureHistory(db: Queryable, isFlushedLater = false): Promise<void> {
  const flush = isFlushedLater ? withoutFlush : '';
  await db.exec(`${flush}set client_min_messages = warning;${createHistory}reset client_min_messages`);
}

export interface AppliedMigration {
  readonly version: string;
  readonly name: string;
}

/** Returns the applied migrations, sorted by version as text. */
export async function selectApplied(db: Queryable): Promise<AppliedMigration[]> {
  return await emptyIfMissing(
    db.query<AppliedMigration>(sql`
      select version, coalesce(name, '') as name from supabase_migrations.schema_migrations
      order by version collate "C"`),
  );
}

/** Returns the applied migrations with their statements, sorted by version as text. */
export async function selectHistory(
  db: Queryable,
): Promise<(AppliedMigration & { readonly statements: readonly string[] })[]> {
  return await emptyIfMissing(
    db.query(sql`
      select version, coalesce(name, '') as name, coalesce(statements, '{}') as statements
      from supabase_migrations.schema_migrations order by version collate "C"`),
  );
}

/** Returns the recorded statements of a migration, or undefined if the migration isn't applied. */
export async function selectRecorded(db: Queryable, version: string): Promise<readonly string[] | undefined> {
  const [row] = await db.query<{ statements: readonly string[] }>(sql`
    select coalesce(statements, '{}') as statements from supabase_migrations.schema_migrations
    where version = ${version}`);
  return row?.statements;
}

export async function insertApplied(
  db: Queryable,
  migration: { readonly version: string; readonly name: string; readonly statements: readonly string[] },
): Promise<void> {
  await db.query(sql`
    insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${migration.version}, ${migration.name}, ${migration.statements}::text[])
    on conflict (version) do update set name = excluded.name, statements = excluded.statements`);
}

export async function deleteApplied(db: Queryable, versions: readonly string[]): Promise<void> {
  await db.query(sql`
    delete from supabase_migrations.schema_migrations where version = any(${versions}::text[])`);
}

export async function selectSeeds(db: Queryable): Promise<ReadonlyMap<string, string>> {
  const rows = await emptyIfMissing(
    db.query<{ path: string; hash: string }>(sql`select path, hash from supabase_migrations.seed_files`),
  );
  return new Map(rows.map(({ path, hash }) => [path, hash]));
}

export async function upsertSeed(db: Queryable, path: string, hash: string): Promise<void> {
  await db.query(sql`
    insert into supabase_migrations.seed_files (path, hash) values (${path}, ${hash})
    on conflict (path) do update set hash = excluded.hash`);
}

export async function selectSteps(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ step: string }>(sql`select step from _plinth.project_steps`);
  return new Set(rows.map(({ step }) => step));
}

export async function insertStep(db: Queryable, step: string): Promise<void> {
  await db.query(sql`insert into _plinth.project_steps (step) values (${step}) on conflict do nothing`);
}

export interface Progress {
  readonly steps: number;
  readonly digest: string;
}

/**
 * Whether the database has the progress table. Databases that Plinth doesn't manage don't have this table, so files
 * with several steps always run from the beginning.
 */
async function notesProgress(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ is: boolean }>(
    sql`select to_regclass('_plinth.project_progress') is not null as is`,
  );
  return row?.is === true;
}

export async function selectProgress(db: Queryable, file: string): Promise<Progress | undefined> {
  if (!(await notesProgress(db))) return undefined;
  const [row] = await db.query<Progress>(
    sql`select steps, digest from _plinth.project_progress where file = ${file}`,
  );
  return row;
}

export async function upsertProgress(
  db: Queryable,
  file: string,
  { steps, digest }: Progress,
): Promise<void> {
  if (!(await notesProgress(db))) return;
  await db.query(sql`
    insert into _plinth.project_progress (file, steps, digest) values (${file}, ${steps}, ${digest})
    on conflict (file) do update set steps = excluded.steps, digest = excluded.digest`);
}

export async function deleteProgress(db: Queryable, file: string): Promise<void> {
  if (!(await notesProgress(db))) return;
  await db.query(sql`delete from _plinth.project_progress where file = ${file}`);
}

/** A skipped statement, with the role and the search path that were in effect when it failed. */
export interface FailureRow extends SkippedStatement {
  readonly id: string;
  readonly role: string;
  readonly searchPath: string;
}

/** Returns the role and the search path that the file has set. */
export async function selectRunState(db: Queryable): Promise<{ role: string; searchPath: string }> {
  const [row] = await db.query<{ role: string; searchPath: string }>(sql`
    select pg_catalog.current_setting('role') as role, pg_catalog.current_setting('search_path') as "searchPath"`);
  return row ?? { role: 'none', searchPath: '' };
}

/** Sets the role and the search path, either for the transaction or for the session. */
export const setRunState = (
  { role, searchPath }: Pick<FailureRow, 'role' | 'searchPath'>,
  isLocal: boolean,
) => sql`
  select pg_catalog.set_config('search_path', ${searchPath}, ${isLocal}),
    pg_catalog.set_config('role', ${role}, ${isLocal})`;

export async function insertFailure(
  db: Queryable,
  { file, line, statement, code, message, role, searchPath }: Omit<FailureRow, 'id'>,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.project_failures (file, line, statement, code, message, role, search_path)
    values (${file}, ${line}, ${statement}, ${code}, ${message}, ${role}, ${searchPath})`);
}

/** Returns the failures in the order in which the project runs the statements. */
export async function selectFailures(db: Queryable): Promise<FailureRow[]> {
  return await db.query<FailureRow>(sql`
    select id::text, file, line, statement, code, message, role, search_path as "searchPath"
    from _plinth.project_failures order by id`);
}

export async function updateFailure(
  db: Queryable,
  { id, code, message }: Pick<FailureRow, 'id' | 'code' | 'message'>,
): Promise<void> {
  await db.query(sql`
    update _plinth.project_failures set code = ${code}, message = ${message} where id = ${id}::bigint`);
}

export async function deleteFailuresById(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query(sql`delete from _plinth.project_failures where id = any(${ids}::bigint[])`);
}

/** Returns the tables of the project that don't have row level security, with their schemas. */
export async function selectOpenTables(
  db: Queryable,
): Promise<{ readonly schema: string; readonly name: string }[]> {
  return await db.query(sql`
    select n.nspname::text as schema, c.relname::text as name
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relrowsecurity
      and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
      and (has_table_privilege('anon', c.oid, 'select, insert, update, delete')
        or has_table_privilege('authenticated', c.oid, 'select, insert, update, delete'))
    order by 1, 2`);
}

export async function deleteFailures(db: Queryable, file: string): Promise<void> {
  await db.query(sql`delete from _plinth.project_failures where file = ${file}`);
}

export async function upsertVaultSecret(db: Queryable, name: string, value: string): Promise<void> {
  const [known] = await db.query<{ id: string }>(sql`select id from vault.secrets where name = ${name}`);
  if (known === undefined) await db.query(sql`select vault.create_secret(${value}, ${name})`);
  else await db.query(sql`select vault.update_secret(${known.id}::uuid, ${value})`);
}

/** Returns the query's rows, or an empty list if the table or the schema doesn't exist. */
async function emptyIfMissing<R>(rows: Promise<R[]>): Promise<R[]> {
  try {
    return await rows;
  } catch (error) {
    if (['42P01', '3F000'].includes((error as PostgresErrorShape).code)) return [];
    throw error;
  }
}
