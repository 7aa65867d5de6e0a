/** Checks whether a session's sign-in is recent enough for an irreversible action. */
import type { Session } from '../rows.ts';
import { toMs } from './times.ts';

/**
 * The maximum age of the last password, code or factor. The Account pages use the same value
 * (`web/account/session.ts`).
 */
const freshSignInMs = 15 * 60_000;

/**
 * Whether the session's last password, code or factor was used recently.
 *
 * @example isFreshSignIn(session, Date.now()) // false a quarter of an hour after the last password, code or factor
 */
export function isFreshSignIn({ amr_claims }: Pick<Session, 'amr_claims'>, nowMs: number): boolean {
  return nowMs - Math.max(0, ...amr_claims.map(({ updated_at }) => toMs(updated_at))) <= freshSignInMs;
}
