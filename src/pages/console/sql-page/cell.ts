/**
 * Reads the complete value of a cell by running the statement again in a read-only transaction. The statement may
 * return different rows than before, so the caller compares the beginning of the value with the cell.
 */
import type { Database } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import type { WholeCell } from './contract.ts';
import type { Runnable } from './runnable.ts';
import { begin, cancelOn } from './session.ts';

const maxBytes = 16 * 1024 * 1024;

/** Reads a cell. @throws {ConsoleError} gone if the result no longer contains the cell */
export async function readCell(
  database: Database,
  { text, parameters }: Runnable,
  options: {
    readonly identity: Identity;
    /** The cell's row and column, starting at 0. */
    readonly row: number;
    readonly column: number;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<WholeCell> {
  const { identity, row, column, signal } = options;
  const session = await database
    .pool(identity.claims === undefined ? identity.operatorRole : 'authenticator')
    .connect();
  const stopCanceling = cancelOn(session, signal);
  let found: WholeCell | undefined;
  let count = 0;
  try {
    await begin(session, { ...options, isReadOnly: true }, false);
    await session.runCapped(text, {
      maxRows: row + 1,
      parameters,
      maxCellBytes: (atRow, atColumn) => (atRow === row && atColumn === column ? maxBytes : 0),
      columns() {},
      row(cells, cut) {
        const value = cells[column];
        if (count++ === row && value !== undefined) found = { value, isCut: cut.includes(column) };
      },
    });
    await session.exec('rollback');
  } finally {
    await stopCanceling();
    session.release();
  }
  if (found === undefined)
    throw new ConsoleError('gone', { message: 'The result no longer contains this cell.' });
  return found;
}
