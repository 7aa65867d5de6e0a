/** Prepares a separate connection for an operator's statements, and cancels these statements. */
import type { Session, Setting } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
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

/** Sets the persona and the timeout. Begins a transaction unless the script controls its own transactions. */
export async function begin(session: Session, options: Beginning, ownTransactions: boolean): Promise<void> {
  const { identity, isReadOnly, timeoutMs } = options;
  if (!ownTransactions) await session.exec(isReadOnly ? 'begin read only' : 'begin');
  const settings: Setting[] = [['statement_timeout', String(timeoutMs)]];
  if (identity.claims !== undefined) settings.push(...settingsOf(identity, defaultSearchPath));
  // The statements of read-only operators were checked with this path (read-only.ts).
  else if (identity.operatorRole === databaseRoleOf('read-only'))
    settings.push(searchPathSetting(defaultSearchPath));
  const isLocal = !ownTransactions;
  const calls = settings.map(
    ([name, value]) => sql`pg_catalog.set_config(${name}, ${value}, ${isLocal}::boolean)`,
  );
  // These settings must be the transaction's first query, because PostgreSQL doesn't allow a read-only transaction to
  // become writable after a query.
  await session.query(sql`select ${sql.join(calls)}`);
}

/**
 * Cancels the running statement when the signal aborts. Returns a function that stops listening to the signal and waits
 * for pending cancel requests, which could otherwise cancel a statement of the connection's next user.
 */
export function cancelOn(session: Session, signal: AbortSignal): () => Promise<void> {
  let again: NodeJS.Timeout | undefined;
  let inFlight: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    inFlight = session.cancel().catch(() => {});
    // Repeats the cancel request, which has no effect if it arrives before the statement begins.
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
