/** The Management API's operations for SQL and migrations. */
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { type Caller, detailOf, type Handlers, ManagementError } from './handlers.ts';
import type { InputOf } from './inputs.ts';
import { createTurns } from './turns.ts';

/** Applies and records migrations that don't come from the project folder (`project/folder/new-migration.ts`). */
export interface NewMigrations {
  list(): Promise<readonly { readonly version: string; readonly name: string }[]>;
  /** In development, also writes the SQL to a file in `supabase/migrations`. */
  apply(migration: SentMigration): Promise<RecordedMigration>;
  /** Records the migration without running its SQL. */
  record(migration: SentMigration): Promise<RecordedMigration>;
}

export interface SentMigration {
  readonly name: string;
  readonly text: string;
  readonly idempotencyKey?: string | undefined;
}

export interface RecordedMigration {
  readonly version: string;
  readonly name: string;
  readonly file: string | undefined;
}

export interface DatabaseCallDeps {
  readonly database: Database;
  readonly newMigrations: NewMigrations;
  readonly audit: Audit;
}

/** The maximum number of concurrent runs. The runs use connections that the Console's pages share. */
const maxAtOnce = 3;
const maxWaiting = 50;

export function databaseCalls({ database, newMigrations, audit }: DatabaseCallDeps) {
  const inTurn = createTurns(maxAtOnce, maxWaiting);

  /** Runs SQL. SQL that can make changes is recorded in the audit log. */
  async function runRecorded<T extends { readonly tags: readonly string[]; readonly error?: unknown }>(
    wanted: { readonly read_only: boolean },
    caller: Caller,
    work: (isReadOnly: boolean, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const isReadOnly = wanted.read_only || !may(caller.operator.role, 'write');
    const run = () => work(isReadOnly, caller.gone ?? new AbortController().signal);
    if (isReadOnly) return await inTurn(run);
    let commands: readonly string[] = [];
    let failed = true;
    try {
      const result = await inTurn(run);
      commands = result.tags;
      failed = (result.error ?? null) !== null;
      return result;
    } finally {
      await audit(caller, 'sql.run', 'operator', { commands, failed, ...detailOf(caller) });
    }
  }

  async function query({ query, parameters, ...wanted }: InputOf<'runQuery'>, caller: Caller) {
    const { runSql } = await import('./run-sql.ts');
    const { rows } = await runRecorded(wanted, caller, (isReadOnly, signal) =>
      runSql(database, { query, parameters, isReadOnly }, signal),
    );
    return rows;
  }

  async function script({ query, ...wanted }: InputOf<'runScript'>, caller: Caller) {
    const { runSqlScript } = await import('./run-sql.ts');
    const { results, error } = await runRecorded(wanted, caller, (isReadOnly, signal) =>
      runSqlScript(database, { query, isReadOnly }, signal),
    );
    return { results, error };
  }

  const sent = ({ name, query: text, idempotency_key: idempotencyKey }: InputOf<'applyMigration'>) => ({
    name: fileName(name),
    text,
    idempotencyKey,
  });

  return {
    runQuery: ['read', query],
    runScript: ['read', script],
    listMigrations: ['read', () => newMigrations.list()],
    applyMigration: [
      'write',
      async (input, caller) => {
        const recorded = await withReason(() => newMigrations.apply(sent(input)));
        const { version, name } = recorded;
        await audit(caller, 'migration.apply', version, { name, file: recorded.file, ...detailOf(caller) });
        return recorded;
      },
    ],
    recordMigration: [
      'write',
      async (input, caller) => {
        const recorded = await withReason(() => newMigrations.record(sent(input)));
        await audit(caller, 'migration.repair', recorded.version, {
          status: 'applied',
          name: recorded.name,
          ...detailOf(caller),
        });
        return recorded;
      },
    ],
  } satisfies Partial<Handlers>;
}

/** Returns the name with `_` in place of characters that a migration's file name can't contain. */
const fileName = (name: string | undefined): string =>
  name?.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '') || 'migration';

/** The errors that mean that the database isn't in the state that the client expects. */
const conflicts = new Set(['history_changed', 'migration_differs']);

/** Runs the operation. @throws {ManagementError} with the statement that failed and its line, or another reason */
export async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !['ProjectError', 'OutsideFolders'].includes(error.name)) throw error;
    const { advice = [], code = '' } = error as Error & {
      readonly advice?: readonly string[];
      readonly code?: string;
    };
    const status = conflicts.has(code) ? 409 : 400;
    throw new ManagementError(status, [error.message, ...advice].join('\n'), { cause: error });
  }
}
