/** A separate connection for an operator's statements: its setup and its cancellation. */
import type { Session, Setting } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';

export interface Beginning {
  readonly identity: Identity;
  readonly looksOnly: boolean;
  readonly timeoutMs: number;
}

const cancelAgainMs = 250;

/** Sets the persona and the timeout. Begins a transaction unless the script controls its own. */
export async function begin(session: Session, options: Beginning, ownTransactions: boolean): Promise<void> {
  const { identity, looksOnly, timeoutMs } = options;
  if (!ownTransactions) await session.exec(looksOnly ? 'begin read only' : 'begin');
  const settings: Setting[] = [['statement_timeout', String(timeoutMs)]];
  if (identity.claims !== undefined) settings.push(...settingsOf(identity, defaultSearchPath));
  const isLocal = !ownTransactions;
  const calls = settings.map(([name, value]) => sql`set_config(${name}, ${value}, ${isLocal}::boolean)`);
  // Must be the first query. After it, a read-only transaction can't become writable.
  await session.query(sql`select ${sql.join(calls)}`);
}

/** Returns a function that removes the handler and waits for pending cancel requests, which could hit the connection's next user. */
export function cancelOn(session: Session, signal: AbortSignal): () => Promise<void> {
  let again: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    underWay = session.cancel().catch(() => {});
    // A cancel request that arrives before the statement begins is lost.
    again = setTimeout(cancel, cancelAgainMs);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal.removeEventListener('abort', cancel);
    clearTimeout(again);
    await underWay;
  };
}
