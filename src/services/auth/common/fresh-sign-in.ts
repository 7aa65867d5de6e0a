/** Determines whether a session's sign-in is recent enough for an irreversible action. */
import type { Session } from './rows.ts';
import { toMs } from './times.ts';

/**
 * The maximum time since the user last entered a password or code or used a factor. `web/account/session.ts` contains
 * the same value.
 */
const freshSignInMs = 15 * 60_000;

/**
 * Whether the user entered a password or code, or used a factor, recently enough in this session.
 *
 * @example isFreshSignIn(session, Date.now()) // false more than 15 minutes after the last password, code or factor
 */
export function isFreshSignIn({ amr_claims }: Pick<Session, 'amr_claims'>, nowMs: number): boolean {
  return nowMs - Math.max(0, ...amr_claims.map(({ updated_at }) => toMs(updated_at))) <= freshSignInMs;
}
