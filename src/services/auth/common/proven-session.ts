/** Limits the assurance level of a session to the level that the access token proves. */

import { isSecondFactor } from './claims.ts';
import type { Session } from './rows.ts';

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
