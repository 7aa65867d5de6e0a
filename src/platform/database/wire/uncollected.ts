/** Runs a script, and counts and discards the rows that it returns. */
import type { Connection } from './connection.ts';
import { readScript } from './script.ts';

export interface UncollectedEnd {
  /** The command tag of the last statement, for example `INSERT 0 1`. The tag is empty if the script is empty. */
  readonly commandTag: string;
  /** The number of rows. The number is undefined if the last statement doesn't return rows. */
  readonly rowCount: number | undefined;
}

export async function runUncollected(connection: Connection, text: string): Promise<UncollectedEnd> {
  let end: UncollectedEnd = { commandTag: '', rowCount: undefined };
  let rowCount: number | undefined;
  await readScript(connection, text, {
    columns() {
      rowCount = 0;
    },
    row() {
      rowCount = (rowCount ?? 0) + 1;
    },
    complete(commandTag) {
      end = { commandTag, rowCount };
      rowCount = undefined;
    },
  });
  return end;
}
