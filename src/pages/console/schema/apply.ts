/**
 * Applies schema changes in a single transaction with a short lock timeout and, on request, writes them to a migration
 * file.
 */

import { OutsideFolders } from '../../../base/kernel/real-path.ts';
import { sql } from '../../../base/kernel/sql.ts';
import type { Pool, Setting, Transaction } from '../../../platform/database/types.ts';
import { ConsoleError, outsideFolders } from '../errors.ts';
import type { SchemaChange } from './changes.ts';
import { compileChange } from './core/compile.ts';
import { ChangeFault } from './core/parts.ts';

/**
 * The lock timeout is short because, while a change waits for its lock, other statements have to wait behind the
 * change.
 */
const lockTimeoutMs = 3000;
/**
 * The statement timeout is long because it can take minutes to create an index on a large table or to change the type
 * of a column.
 */
const statementTimeoutMs = 600_000;
const settings: readonly Setting[] = [
  ['lock_timeout', String(lockTimeoutMs)],
  ['statement_timeout', String(statementTimeoutMs)],
  // core/expression.ts relies on `standard_conforming_strings` when it parses strings.
  ['standard_conforming_strings', 'on'],
];

/** A role of another database server may not be allowed to change all of these settings. */
const quiet = sql`
  select pg_catalog.set_config(s.name, s.value, true) from (values
    ('pg_stat_statements.track_utility', 'off'), ('log_statement', 'none'), ('log_min_error_statement', 'panic'),
    ('log_min_duration_statement', '-1'), ('log_min_duration_sample', '-1'), ('log_duration', 'off')) s (name, value)
  where pg_catalog.has_parameter_privilege(s.name, 'set')`;

/**
 * Writes a migration file and records the migration in the transaction that makes the changes
 * (`folder/new-files.ts`).
 */
export type WriteMigration = (
  tx: Parameters<Parameters<Pool['transaction']>[0]>[0],
  name: string,
  statements: readonly string[],
  /** The text of the migration's down script. */
  down?: string,
) => Promise<{ readonly shownPath: string; discard(): void }>;

export interface ApplyOptions {
  /** Whether a statement contains a secret, so that PostgreSQL's logs and statistics mustn't contain the statements. */
  readonly isSecret?: boolean;
  /** Called before the statements run, in the same transaction. */
  readonly prepare?: (tx: Transaction) => Promise<void>;
  /** Called after the statements have run, in the same transaction. */
  readonly fill?: (tx: Transaction) => Promise<void>;
  /** With `rollback`, the changes are made as a trial and then undone. */
  readonly end?: 'commit' | 'rollback';
}

/** Returns the SQL statements for the changes. @throws {ConsoleError} bad_request */
export function statementsOf(changes: readonly SchemaChange[]): string[] {
  try {
    return changes.flatMap(compileChange);
  } catch (error) {
    if (error instanceof ChangeFault) throw new ConsoleError('bad_request', { message: error.message });
    throw error;
  }
}

/**
 * Applies the changes. Returns the path to the migration file, if the request asked for one.
 * @throws {PostgresErrorShape} if a statement fails. In this case, nothing is changed and the migration file is
 * deleted.
 */
export async function applyChanges(
  pool: Pool,
  statements: readonly string[],
  migration: { readonly name: string; readonly write: WriteMigration } | undefined,
  { isSecret = false, prepare, fill, end = 'commit' }: ApplyOptions = {},
): Promise<string | undefined> {
  let written: Awaited<ReturnType<WriteMigration>> | undefined;
  try {
    await pool.transaction(
      async (tx) => {
        if (isSecret) await tx.query(quiet);
        await prepare?.(tx);
        // Uses the extended protocol, which accepts only a single statement.
        for (const statement of statements) await tx.query(sql.raw(statement));
        await fill?.(tx);
        if (migration !== undefined) written = await migration.write(tx, migration.name, statements);
      },
      { settings, end },
    );
  } catch (error) {
    written?.discard();
    if (error instanceof OutsideFolders) throw outsideFolders(error);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new ConsoleError(
      'bad_request',
      { message: `The migration file couldn't be written (${code}). Nothing was changed.` },
      { cause: error },
    );
  }
  return written?.shownPath;
}
