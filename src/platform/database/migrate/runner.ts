/**
 * Applies Plinth's numbered SQL files. Each file is applied once and in a separate transaction. The runner holds an
 * exclusive lock during the whole run. If no files are pending, a start costs a single query.
 */
import type { Logger } from '../../../base/kernel/log.ts';
import { quoteLiteral, sql } from '../../../base/kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import { lockExclusively } from '../exclusive-lock.ts';
import { superuserSearchPath } from '../superuser.ts';
import type { PostgresErrorShape, Queryable } from '../types.ts';
import type { MigrationFile } from './files.ts';
import { retryRoleChanges } from './retry-role-changes.ts';

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

export interface MigrationRun {
  /** The session that holds the exclusive lock. If possible, the session belongs to a superuser. */
  readonly session: Queryable;
  readonly serverVersion: number;
  readonly log: Logger;
  readonly onProgress: (message: string) => void;
  /** Ends the wait for another run, and the run after the current file, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Applies the files and returns the number of applied files. @throws {DatabaseError} migration_failed */
export async function applyFiles(run: MigrationRun, files: readonly MigrationFile[]): Promise<number> {
  const known = await readLedger(run.session);
  if (files.every((file) => known.has(keyOf(file)))) return 0;
  const unlock = await lockExclusively(run.session, 'preparation', run);
  try {
    await run.session.exec(createLedger);
    const applied = await readLedger(run.session);
    const pending = files.filter((file) => !applied.has(keyOf(file)));
    for (const [index, file] of pending.entries()) {
      run.signal?.throwIfAborted();
      if (index === 0) run.onProgress('Preparing the database');
      // Only the last commit waits until its WAL is on disk. The WAL is written in order, so once the last commit is on
      // disk, all earlier commits are on disk too.
      await applyFile(run, file, { flush: index === pending.length - 1 });
    }
    return pending.length;
  } finally {
    await unlock().catch(() => {});
  }
}

/**
 * Returns the hashes of the applied files, or an empty map if the database doesn't have a ledger or the ledger can't be
 * read.
 */
export async function readLedger(session: Queryable): Promise<Map<string, string>> {
  try {
    const rows = await session.query<{ module: string; version: string; hash: string }>(
      sql`select room as module, version, hash from _plinth.migrations`,
    );
    return new Map(rows.map((row) => [keyOf(row), row.hash]));
  } catch (error) {
    // The SQLSTATEs for an undefined table and an undefined schema.
    if (['42P01', '3F000'].includes((error as PostgresErrorShape).code)) return new Map();
    throw error;
  }
}

function keyOf(file: { readonly module: string; readonly version: string }): string {
  return `${file.module}/${file.version}`;
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
    // Disables users' event triggers, because they must not run with Plinth's privileges. Only superusers can change
    // the setting `event_triggers`. The setting also disables Plinth's guard triggers, which don't restrict superusers
    // anyway.
    ...(run.serverVersion >= 170_000
      ? [
          "select set_config('event_triggers', 'off', true) from pg_catalog.pg_roles where rolname = current_user and rolsuper",
        ]
      : []),
  ];
  const head = `${settings.join(';')};`;
  const values = [file.module, file.version, file.name, file.hash].map(quoteLiteral).join(', ');
  // Resets the role, because a file may have switched to the role that owns its objects.
  const tail = `;reset role;
select _plinth.guard_new_objects();
insert into _plinth.migrations (room, version, name, hash) values (${values});
commit`;
  try {
    await retryRoleChanges(async () => {
      try {
        await run.session.exec(`${head}${file.text}${tail}`);
      } catch (error) {
        await run.session.exec('rollback').catch(() => {});
        throw error;
      }
    });
  } catch (error) {
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
  return `${file.module}/sql/${file.version}_${file.name}.sql`;
}
