/**
 * Decides what happens to a refresh token of the first form, from the locked rows alone. The rules are GoTrue 2.196's
 * except where noted.
 *
 * - active: it is revoked and gets a child;
 * - superseded (our rule): the session has risen to a higher level since, so the token gives nothing, in no interval;
 * - revoked, but the parent of the active one: the client never received its child and gets the active one, at any age;
 * - revoked within the reuse interval: a new child (several tabs that refresh together);
 * - otherwise it was stolen or replayed: with rotation, the session ends and its whole family with it. GoTrue revokes the
 *   family, whose newest token works for one more interval.
 */
import type { Session } from '../rows.ts';
import { toMs } from './times.ts';

export interface PresentedToken {
  readonly token: string;
  readonly revoked: boolean;
  readonly updatedAtMs: number;
  /** Older than the newest token without a parent: that one was issued when the session rose to a higher level. */
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
  // A tab may have refreshed at the moment when another one raised the session: it is refused, but no thief.
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

/** The times of a row of auth.sessions. */
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

/** Sessions from before `refreshed_at` was kept go by their token. */
export function lastRefreshedMs(session: SessionTimes, refreshTokenUpdatedAtMs: number | undefined): number {
  const { createdAtMs } = session;
  return session.refreshedAtMs ?? Math.max(refreshTokenUpdatedAtMs ?? createdAtMs, createdAtMs);
}

/** Checked at refresh only; an access token lives to its own end. Limits of 0 are none. */
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
