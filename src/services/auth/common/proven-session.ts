/**
 * Limits the assurance level of a session to the level that the access token proves, and determines whether a session's
 * sign-in is recent enough for an irreversible action.
 */

import { isSecondFactor } from './claims.ts';
import type { Session } from './rows.ts';
import { toMs } from './times.ts';

/**
 * Removes the second factor from the session if the access token was issued before the factor was used. The session's
 * assurance level was raised later, but the token proves only the level at which it was issued.
 *
 * @example provenSession(session, { aal: 'aal1' }).aal // 'aal1', regardless of the session's level
 */
export function provenSession(session: Session, claims: Readonly<Record<string, unknown>>): Session {
  if (session.aal === null || session.aal === 'aal1' || claims.aal === session.aal) return session;
  const amrClaims = session.amr_claims.filter(({ authentication_method: method }) => !isSecondFactor(method));
  return { ...session, aal: 'aal1', factor_id: null, amr_claims: amrClaims };
}

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
