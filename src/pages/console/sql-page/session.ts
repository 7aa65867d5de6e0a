/** Prepares a separate connection for the statements of an operator, and cancels running statements. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Session, Setting } from '../../../platform/database/types.ts';
import {
  databaseRoleOf,
  defaultSearchPath,
  type Identity,
  searchPathSetting,
  settingsOf,
} from '../persona/act.ts';

export interface Beginning {
  readonly identity: Identity;
  readonly isReadOnly: boolean;
  readonly timeoutMs: number;
}

const cancelAgainMs = 250;

/**
 * Sets the persona and the timeout in the session. Begins a transaction unless the script controls its own
 * transactions.
 */
export async function begin(session: Session, options: Beginning, ownTransactions: boolean): Promise<void> {
  const { identity, isReadOnly, timeoutMs } = options;
  if (!ownTransactions) await session.exec(isReadOnly ? 'begin read only' : 'begin');
  const settings: Setting[] = [['statement_timeout', String(timeoutMs)]];
  if (identity.claims !== undefined) settings.push(...settingsOf(identity, defaultSearchPath));
  // The statements of read-only operators have been checked with the default search path (read-only.ts).
  else if (identity.operatorRole === databaseRoleOf('read-only'))
    settings.push(searchPathSetting(defaultSearchPath));
  const isLocal = !ownTransactions;
  const calls = settings.map(
    ([name, value]) => sql`pg_catalog.set_config(${name}, ${value}, ${isLocal}::boolean)`,
  );
  // The settings must be set in the first query of the transaction, because PostgreSQL doesn't allow a read-only
  // transaction to become writable after the first query.
  await session.query(sql`select ${sql.join(calls)}`);
}

/**
 * Cancels the running statement when the signal aborts. Returns a function that stops listening to the signal and waits
 * for pending cancel requests. Pending cancel requests could otherwise cancel the next user's statement on this
 * connection.
 */
export function cancelOn(session: Session, signal: AbortSignal): () => Promise<void> {
  let again: NodeJS.Timeout | undefined;
  let inFlight: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    inFlight = session.cancel().catch(() => {});
    // Sends the cancel request repeatedly, because a request that arrives before the statement begins has no effect.
    again = setTimeout(cancel, cancelAgainMs);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal.removeEventListener('abort', cancel);
    clearTimeout(again);
    await inFlight;
  };
}
