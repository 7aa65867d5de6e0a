/** A session as the holder of one of its access tokens may use it. */
import type { Session } from '../rows.ts';
import { isSecondFactor } from './claims.ts';

/**
 * Without the second factor where the token is from before it was used: the session has risen since, the token has not.
 *
 * @example provenSession(session, { aal: 'aal1' }).aal // 'aal1', whatever the session has reached
 */
export function provenSession(session: Session, claims: Readonly<Record<string, unknown>>): Session {
  if (session.aal === null || session.aal === 'aal1' || claims.aal === session.aal) return session;
  const amrClaims = session.amr_claims.filter(({ authentication_method: method }) => !isSecondFactor(method));
  return { ...session, aal: 'aal1', factor_id: null, amr_claims: amrClaims };
}
