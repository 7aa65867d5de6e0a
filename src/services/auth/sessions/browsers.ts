/**
 * Records the browser of each session, so that the Account pages can show a user's sessions by browser and sign the
 * user out of all apps in a browser. On the Account pages, a cookie identifies the browser. An app's session inherits
 * the browser from the session from which the app's session was created (decision 66).
 */
import { createHash } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import type { AuthContext } from '../context.ts';
import { inheritBrowser, insertSessionBrowser } from './browser-queries.ts';

/** Records the browser of a new session of the Account pages. Does nothing for other clients. */
export async function recordBrowser(
  ctx: AuthContext,
  tx: Transaction,
  { deviceId }: Caller,
  { sessionId, userId }: { readonly sessionId: string; readonly userId: string },
): Promise<void> {
  if (deviceId === undefined || !ctx.hasOwnTables) return;
  const browser = createHash('sha256').update(`browser of ${userId} ${deviceId}`).digest('base64url');
  await insertSessionBrowser(tx, { sessionId, userId, browser }, ctx.clock.now());
}

/**
 * Records the app for which a session was created from another session. `app` is the app's origin, or null for an OAuth
 * client.
 */
export async function recordApp(
  ctx: AuthContext,
  tx: Transaction,
  row: { readonly sessionId: string; readonly originId: string; readonly app: string | null },
): Promise<void> {
  if (ctx.hasOwnTables) await inheritBrowser(tx, row, ctx.clock.now());
}
