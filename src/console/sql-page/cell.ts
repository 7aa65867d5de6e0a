/**
 * Reads a cell's complete value by repeating the statement in a read-only transaction. The result may differ from the
 * first run, so the caller compares the beginning of the cell.
 */
import type { Database } from '../../database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { Identity } from '../persona/act.ts';
import type { WholeCell } from './contract.ts';
import type { Runnable } from './runnable.ts';
import { begin, cancelOn } from './session.ts';

const maxBytes = 16 * 1024 * 1024;

/** Reads a cell. @throws {ConsoleError} gone if the cell no longer exists */
export async function readCell(
  database: Database,
  { text, parameters }: Runnable,
  options: {
    readonly identity: Identity;
    /** The cell's position, starting at 0. */
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
