/**
 * Decides what happens to a refresh token of form 1, from the locked rows alone. The rules are those of GoTrue 2.196
 * except where noted.
 *
 * - Active: the token is revoked and gets a child.
 * - Superseded (our rule): the session was raised to a higher level after the token was issued, so the token is
 * invalid,
 *   even within the reuse interval.
 * - Revoked, but the parent of the active token: the client never received the child and gets the active token, at any
 *   age.
 * - Revoked within the reuse interval: the client gets a new child (several tabs that refresh together).
 * - Otherwise the token was stolen or replayed. With rotation, the session ends with all of its tokens. GoTrue revokes
 *   only the family, whose newest token works for one more interval.
 */
import type { Session } from '../rows.ts';
import { toMs } from './times.ts';

export interface PresentedToken {
  readonly token: string;
  readonly revoked: boolean;
  readonly updatedAtMs: number;
  /**
   * Whether the token is older than the newest token without a parent, which was issued when the session was raised to
   * a higher level.
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
  // A tab may refresh at the moment when another tab raises the session's level, so the token is rejected without
  // ending the session.
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

/** Returns the times of a row of auth.sessions. */
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

/** Older sessions have no `refreshed_at`, so the time of their refresh token is used instead. */
export function lastRefreshedMs(session: SessionTimes, refreshTokenUpdatedAtMs: number | undefined): number {
  const { createdAtMs } = session;
  return session.refreshedAtMs ?? Math.max(refreshTokenUpdatedAtMs ?? createdAtMs, createdAtMs);
}

/** Checks a session's limits at refresh. Access tokens stay valid until they expire. A limit of 0 means no limit. */
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
