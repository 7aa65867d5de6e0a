/** A connection of its own for what somebody wrote: how it begins, and how it is cancelled. */
import type { Session, Setting } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';

export interface Beginning {
  readonly identity: Identity;
  readonly looksOnly: boolean;
  readonly timeoutMs: number;
}

const cancelAgainMs = 250;

/** Sets the persona and the timeout, for a transaction that begins here unless the script brings its own. */
export async function begin(session: Session, options: Beginning, ownTransactions: boolean): Promise<void> {
  const { identity, looksOnly, timeoutMs } = options;
  if (!ownTransactions) await session.exec(looksOnly ? 'begin read only' : 'begin');
  const settings: Setting[] = [['statement_timeout', String(timeoutMs)]];
  if (identity.claims !== undefined) settings.push(...settingsOf(identity, defaultSearchPath));
  const isLocal = !ownTransactions;
  const calls = settings.map(([name, value]) => sql`set_config(${name}, ${value}, ${isLocal}::boolean)`);
  // The first look at the data: from here on a transaction that is read-only stays so.
  await session.query(sql`select ${sql.join(calls)}`);
}

/** Returns the undo, which waits for requests that are under way: they would hit whoever is next on the connection. */
export function cancelOn(session: Session, signal: AbortSignal): () => Promise<void> {
  let again: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    underWay = session.cancel().catch(() => {});
    // One that arrives before the statement has begun is lost.
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
