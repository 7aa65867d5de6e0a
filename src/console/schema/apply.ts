/** Runs schema changes: all of them or none, without waiting long for a lock, and as a migration file when asked. */
import type { Pool, Setting } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import { ConsoleError } from '../errors.ts';
import type { SchemaChange } from './changes.ts';
import { ChangeFault, compileChange } from './core/compile.ts';

/** Others wait behind a change that waits for its lock, so it gives up soon. */
const lockTimeoutMs = 3000;
/** An index or a new type of a large table takes its time. */
const statementTimeoutMs = 600_000;
const settings: readonly Setting[] = [
  ['lock_timeout', String(lockTimeoutMs)],
  ['statement_timeout', String(statementTimeoutMs)],
  // What core/expression.ts takes for granted.
  ['standard_conforming_strings', 'on'],
];

/** Writes a migration in the transaction that made it (`project/written-migration.ts`). */
export type WriteMigration = (
  tx: Parameters<Parameters<Pool['transaction']>[0]>[0],
  name: string,
  statements: readonly string[],
) => Promise<{ readonly shownPath: string; discard(): void }>;

/** @throws {ConsoleError} bad_request */
export function statementsOf(changes: readonly SchemaChange[]): string[] {
  try {
    return changes.flatMap(compileChange);
  } catch (error) {
    if (error instanceof ChangeFault) throw new ConsoleError('bad_request', { message: error.message });
    throw error;
  }
}

/**
 * The path of the migration file, if one was asked for.
 * @throws PostgreSQL's refusal; nothing was changed then and no file is left.
 */
export async function applyChanges(
  pool: Pool,
  statements: readonly string[],
  migration: { readonly name: string; readonly write: WriteMigration } | undefined,
): Promise<string | undefined> {
  let written: Awaited<ReturnType<WriteMigration>> | undefined;
  try {
    await pool.transaction(
      async (tx) => {
        // One at a time, by the extended protocol, which takes a single statement and nothing behind it.
        for (const statement of statements) await tx.query(sql.raw(statement));
        if (migration !== undefined) written = await migration.write(tx, migration.name, statements);
      },
      { settings },
    );
  } catch (error) {
    written?.discard();
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new ConsoleError(
      'bad_request',
      { message: `The migration file could not be written (${code}). Nothing was changed.` },
      { cause: error },
    );
  }
  return written?.shownPath;
}
