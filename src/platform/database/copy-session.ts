/** Opens sessions in which rows are copied to and from a server. Dumps use them. */

import type { Sql } from '../../base/kernel/sql.ts';
import type { Queryable, Row } from './types.ts';
import { Client, type ConnectionOptions, copyIn, copyLines, type Notice } from './wire/index.ts';
import { readVersion } from './wire/version.ts';

export interface CopySession extends Pick<Queryable, 'query' | 'queryText' | 'exec'> {
  /** The version of the server as a number, for example 180004. */
  readonly serverVersion: number;
  /** Whether the connection to the server is still open. */
  readonly isOpen: () => boolean;
  /**
   * The state of the session after the last statement: outside a transaction, in a transaction, or in a failed
   * transaction.
   */
  readonly transaction: () => 'none' | 'open' | 'failed';
  /**
   * Runs COPY ... TO STDOUT. `onLine` is called for each line, which is in COPY's text format and valid only during the
   * call. If `onLine` returns a promise, no more lines are read until the promise resolves.
   */
  copyOut(
    statement: string,
    onLine: (buffer: Buffer, start: number, end: number) => Promise<void> | undefined,
  ): Promise<void>;
  /** Runs COPY ... FROM STDIN. */
  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Closes the session and cancels the statement that is running. */
  destroy(): void;
}

/** Opens a session for copying rows. @throws {ConnectionError} if connecting or signing in fails */
export async function openCopySession(
  options: ConnectionOptions,
  onNotice?: (notice: Notice) => void,
): Promise<CopySession> {
  const client = await Client.connect({ ...options, namedStatements: false, ...(onNotice && { onNotice }) });
  const { connection } = client;
  const states: Readonly<Record<number, 'open' | 'failed'>> = { 84: 'open', 69: 'failed' };
  return {
    serverVersion: readVersion(client),
    query: <R extends object = Row>(statement: Sql) => client.query<R>(statement),
    queryText: (statement) => client.queryText(statement),
    exec: (text) => client.exec(text),
    isOpen: () => !connection.ended,
    transaction: () => states[connection.transactionStatus] ?? 'none',
    copyOut: (statement, onLine) =>
      copyLines(connection, statement, (buffer, start, end) => {
        const full = onLine(buffer, start, end);
        if (full === undefined) return;
        connection.pause();
        full.then(
          () => connection.resume(),
          (error: Error) => connection.destroy(error),
        );
      }),
    copyIn: (statement, chunks) => copyIn(connection, statement, chunks),
    destroy: () => connection.destroy(),
  };
}
