/**
 * Ends what the database module waits for when the server's start is aborted. A closed connection alone wouldn't end a
 * statement that waits for a lock, because PostgreSQL notices only afterward that the client has gone.
 */
import type { Client } from './wire/index.ts';

/** How often a cancel request is repeated, because a request that arrives before the statement starts has no effect. */
export const cancelAgainMs = 250;

/** Cancels the session's statement and closes the session once the signal is aborted. */
export function endOnAbort({ connection }: Client, signal: AbortSignal | undefined): void {
  const end = async (): Promise<void> => {
    if (connection.ended) return;
    if (!connection.idle) await connection.cancel().catch(() => undefined);
    connection.destroy();
  };
  signal?.addEventListener('abort', () => void end(), { once: true });
}
