/**
 * Decides what happens to a version 1 refresh token, based only on the rows that the caller has locked. Follows the
 * rules of GoTrue 2.196 unless stated otherwise.
 *
 * - Active: the token is revoked, and a child token is issued.
 * - Superseded (Plinth's own rule): the session's assurance level was raised after the token was issued. The token is
 *   invalid, even within the reuse interval.
 * - Revoked, but the parent of the active token: the client never received the child token, so it receives the active
 *   token now. This rule applies regardless of the token's age.
 * - Revoked within the reuse interval: the client receives a new child token, because several tabs may refresh at the
 *   same time.
 * - In all other cases, the token was stolen or replayed. With rotation, the session and all of its tokens are revoked.
 *   GoTrue revokes only the token's family, and the newest token of the family remains valid for another reuse
 *   interval.
 */
import type { Session } from '../common/rows.ts';
import { toMs } from '../common/times.ts';

export interface PresentedToken {
  readonly token: string;
  readonly revoked: boolean;
  readonly updatedAtMs: number;
  /**
   * Whether the session's assurance level was raised after this token was issued. When the level is raised, a token
   * without a parent is issued, so a token is superseded if a newer token of the session has no parent.
   */
  readonly isSuperseded: boolean;
}

export interface ActiveToken {
  readonly token: string;
  readonly parent: string | null;
}

export type RefreshDecision =
  | { readonly kind: 'swap' }
  | { readonly kind: 'return-active'; readonly token: string }
  | { readonly kind: 'refuse'; readonly endsFamily: boolean };

export function decideRefresh(
  presented: PresentedToken,
  active: ActiveToken | undefined,
  rules: { readonly rotation: boolean; readonly reuseIntervalMs: number },
  nowMs: number,
): RefreshDecision {
  if (!presented.revoked) return { kind: 'swap' };
  const isRecent = nowMs <= presented.updatedAtMs + rules.reuseIntervalMs;
  // Another tab may have just raised the session's level, so the token is rejected without ending the session.
  if (presented.isSuperseded) return { kind: 'refuse', endsFamily: rules.rotation && !isRecent };
  if (active && active.parent === presented.token) return { kind: 'return-active', token: active.token };
  if (isRecent) return { kind: 'swap' };
  return { kind: 'refuse', endsFamily: rules.rotation };
}

export interface SessionTimes {
  readonly createdAtMs: number;
  readonly refreshedAtMs: number | undefined;
  readonly notAfterMs: number | undefined;
}

/** Returns the times from a row of auth.sessions in milliseconds. */
export function sessionTimes(
  session: Pick<Session, 'created_at' | 'refreshed_at' | 'not_after'>,
): SessionTimes {
  return {
    createdAtMs: toMs(session.created_at),
    refreshedAtMs: session.refreshed_at === null ? undefined : toMs(session.refreshed_at),
    notAfterMs: session.not_after === null ? undefined : toMs(session.not_after),
  };
}

export type SessionValidity = 'valid' | 'expired' | 'inactive';

/**
 * Returns the time at which the session was last refreshed. Older sessions have no `refreshed_at`, so the time of the
 * refresh token is used instead.
 */
export function lastRefreshedMs(session: SessionTimes, refreshTokenUpdatedAtMs: number | undefined): number {
  const { createdAtMs } = session;
  return session.refreshedAtMs ?? Math.max(refreshTokenUpdatedAtMs ?? createdAtMs, createdAtMs);
}

/**
 * Checks the limits of a session during a refresh. The value 0 disables a limit. Access tokens stay valid until they
 * expire, even if the session exceeds a limit.
 */
export function checkSession(
  session: SessionTimes,
  refreshTokenUpdatedAtMs: number | undefined,
  limits: { readonly timeboxMs: number; readonly inactivityTimeoutMs: number },
  nowMs: number,
): SessionValidity {
  if (session.notAfterMs !== undefined && nowMs > session.notAfterMs) return 'expired';
  if (limits.timeboxMs > 0 && nowMs > session.createdAtMs + limits.timeboxMs) return 'expired';
  const lastMs = lastRefreshedMs(session, refreshTokenUpdatedAtMs);
  if (limits.inactivityTimeoutMs > 0 && nowMs > lastMs + limits.inactivityTimeoutMs) return 'inactive';
  return 'valid';
}
