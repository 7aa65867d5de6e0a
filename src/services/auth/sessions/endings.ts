/** Explains why a session has ended. */

import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import type { SecurityEvent } from '../security-events/events.ts';
import { listEndings } from '../security-events/queries.ts';

/** `elsewhere` means that the user ended the session from another device. */
export type SessionEnding = 'password_changed' | 'secured' | 'factors_reset' | 'elsewhere' | 'support';

/**
 * Returns why a session ended, based on the latest event since the session's last access token was issued. Returns
 * undefined if no event explains why the session ended. Only the browser in which the session was used may see the
 * result.
 */
export async function explainEnding(
  ctx: AuthContext,
  { userId, sinceMs }: { readonly userId: string; readonly sinceMs: number },
): Promise<SessionEnding | undefined> {
  if (!ctx.hasOwnTables) return undefined;
  const listed = await listEndings(ctx.pool, userId, fromMs(sinceMs));
  // The button "This wasn't me" ends every session, so later events, such as the owner's password change, didn't end
  // this session.
  const events = listed.slice(
    Math.max(
      0,
      listed.findLastIndex(({ kind }) => kind === 'secured'),
    ),
  );
  // Prefers an event that ended several sessions, because an event that ended a single session may concern another
  // session of the user.
  const event = events.find(({ details }) => details.scope !== 'one') ?? events[0];
  return event && endingOf(event);
}

function endingOf({ kind, actor }: SecurityEvent): SessionEnding | undefined {
  if (kind === 'password_changed' || kind === 'secured' || kind === 'factors_reset') return kind;
  return actor === 'operator' ? 'support' : 'elsewhere';
}
