/**
 * Applies Plinth's numbered SQL files. Each file is applied once, in its own transaction, under one advisory lock for
 * the whole run. A start without pending files costs a single query.
 */
import type { Logger } from '../../kernel/log.ts';
import { quoteLiteral, sql } from '../../kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import { superuserSearchPath } from '../superuser.ts';
import type { PostgresErrorShape, Queryable } from '../types.ts';
import { hashPrefix, type MigrationFile } from './files.ts';

/** The key of the advisory lock: `plinth` in ASCII. */
const lockKey = 0x706c696e7468;

const createLedger = `
create schema if not exists _plinth;
create table if not exists _plinth.migrations (
  room text not null,
  version text not null,
  name text not null,
  hash text not null,
  applied_at timestamptz not null default now(),
  primary key (room, version)
);`;

/**
 * Files call functions in `_plinth`, where projects were once able to create objects. An overload of a superuser's
 * function could match a call better, so overloads are dropped before the first file.
 */
const dropOverloads = `
do $$
declare
  overload record;
begin
  for overload in
    select p.oid::pg_catalog.regprocedure::text as name
    from pg_catalog.pg_proc p
    join pg_catalog.pg_roles r on r.oid = p.proowner and not r.rolsuper
    where p.pronamespace = pg_catalog.to_regnamespace('_plinth')
      and (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
      and exists (
        select from pg_catalog.pg_proc other
        join pg_catalog.pg_roles owner on owner.oid = other.proowner and owner.rolsuper
        where other.pronamespace = p.pronamespace and other.proname = p.proname)
  loop
    execute pg_catalog.format('drop function %s cascade', overload.name);
  end loop;
end
$$;`;

export interface MigrationRun {
  /** A superuser's session if possible. This session holds the lock. */
  readonly session: Queryable;
  readonly serverVersion: number;
  readonly log: Logger;
  readonly onProgress: (message: string) => void;
}

/** Returns the number of applied files. @throws {DatabaseError} migration_failed */
export async function applyFiles(run: MigrationRun, files: readonly MigrationFile[]): Promise<number> {
  const known = await readLedger(run.session);
  warnOfChanges(files, known, run.log);
  if (files.every((file) => known.has(keyOf(file)))) return 0;
  await run.session.exec(`select pg_advisory_lock(${lockKey});${createLedger}${dropOverloads}`);
  try {
    const applied = await readLedger(run.session);
    const pending = files.filter((file) => !applied.has(keyOf(file)));
    for (const [index, file] of pending.entries()) {
      if (index === 0) run.onProgress('Preparing the database');
      // The WAL is written in order, so once the last commit is on disk, all earlier commits are, too.
      await applyFile(run, file, { flush: index === pending.length - 1 });
    }
    return pending.length;
  } finally {
    await run.session.exec(`select pg_advisory_unlock(${lockKey})`).catch(() => {});
  }
}

/** Returns applied files and their hashes. Empty if the database doesn't have a ledger or the ledger isn't readable. */
export async function readLedger(session: Queryable): Promise<Map<string, string>> {
  try {
    const rows = await session.query<{ room: string; version: string; hash: string }>(
      sql`select room, version, hash from _plinth.migrations`,
    );
    return new Map(rows.map((row) => [keyOf(row), row.hash]));
  } catch (error) {
    // Undefined table or undefined schema.
    if (['42P01', '3F000'].includes((error as PostgresErrorShape).code)) return new Map();
    throw error;
  }
}

function keyOf(file: { readonly room: string; readonly version: string }): string {
  return `${file.room}/${file.version}`;
}

/** Released files never change, so a different hash means that another version created the database. */
function warnOfChanges(
  files: readonly MigrationFile[],
  known: ReadonlyMap<string, string>,
  log: Logger,
): void {
  for (const file of files) {
    const hash = known.get(keyOf(file));
    if (hash === undefined || hash === file.hash || !hash.startsWith(hashPrefix)) continue;
    log.warn(
      { service: 'database', file: describe(file) },
      `${describe(file)} was applied to this database with different content, so it isn't applied again`,
    );
  }
}

async function applyFile(
  run: MigrationRun,
  file: MigrationFile,
  { flush }: { flush: boolean },
): Promise<void> {
  const settings = [
    'begin',
    `set local synchronous_commit = ${flush ? 'on' : 'off'}`,
    `set local search_path = ${superuserSearchPath}`,
    'set local client_min_messages = warning',
    'set local statement_timeout = 0',
    // Users' event triggers must not run with Plinth's privileges. The guard trusts superusers anyway. Only superusers
    // can change this setting.
    ...(run.serverVersion >= 170_000
      ? [
          "select set_config('event_triggers', 'off', true) from pg_catalog.pg_roles where rolname = current_user and rolsuper",
        ]
      : []),
  ];
  const head = `${settings.join(';')};`;
  const values = [file.room, file.version, file.name, file.hash].map(quoteLiteral).join(', ');
  // A file may have switched to the role that should own its objects.
  const tail = `;reset role;
select _plinth.guard_new_objects();
insert into _plinth.migrations (room, version, name, hash) values (${values});
commit`;
  try {
    await run.session.exec(`${head}${file.text}${tail}`);
  } catch (error) {
    await run.session.exec('rollback').catch(() => {});
    throw new DatabaseError(
      'migration_failed',
      { file: describe(file), reason: explain(error, head, file) },
      error,
    );
  }
}

function explain(error: unknown, head: string, file: MigrationFile): string {
  const { message, position, detail, where } = error as PostgresErrorShape;
  const offset = position === undefined ? undefined : position - 1 - head.length;
  const line =
    offset === undefined || offset < 0 ? '' : ` (line ${file.text.slice(0, offset).split('\n').length})`;
  return [`${message}${line}`, detail, where].filter(Boolean).join('; ');
}

function describe(file: MigrationFile): string {
  return `${file.room}/sql/${file.version}_${file.name}.sql`;
}
