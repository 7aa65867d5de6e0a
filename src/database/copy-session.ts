/** Opens sessions that copy rows to and from a server. Dumps use them. */

import type { Sql } from '../kernel/sql.ts';
import type { Queryable, Row } from './types.ts';
import { Client, type ConnectionOptions, copyIn, copyLines, type Notice } from './wire/index.ts';
import { readVersion } from './wire/version.ts';

export interface CopySession extends Pick<Queryable, 'query' | 'queryText' | 'exec'> {
  /** The version as a number, for example 180004. */
  readonly serverVersion: number;
  /** Whether the server still has the session. */
  readonly isOpen: () => boolean;
  /** The state after the last statement: outside a transaction, in a transaction, or in a failed transaction. */
  readonly transaction: () => 'none' | 'open' | 'failed';
  /**
   * Runs COPY ... TO STDOUT. Each line is in COPY's text format and valid only during the call. If `onLine` returns a
   * promise, the server waits until it resolves.
   */
  copyOut(
    statement: string,
    onLine: (buffer: Buffer, start: number, end: number) => Promise<void> | undefined,
  ): Promise<void>;
  /** Runs COPY ... FROM STDIN. */
  copyIn(statement: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Closes the session and cancels a running statement. */
  destroy(): void;
}

/** Opens a session that copies rows. @throws {ConnectionError} if the connection or the sign-in fails */
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
