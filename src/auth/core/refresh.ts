/**
 * What becomes of a refresh token of the first form (as GoTrue 2.196 decides it): a pure decision over the locked rows.
 *
 * - active: it is revoked and a child made;
 * - revoked, but the parent of the active one: the client never received its child and gets the active one, at any age;
 * - revoked within the reuse interval: a new child (several tabs at once);
 * - else it was stolen or replayed: with rotation, the whole family goes.
 */
import type { Session } from '../rows.ts';
import { toMs } from './times.ts';

export interface PresentedToken {
  readonly token: string;
  readonly revoked: boolean;
  readonly updatedAtMs: number;
}

export interface ActiveToken {
  readonly token: string;
  readonly parent: string | null;
}

export type RefreshDecision =
  | { readonly kind: 'swap' }
  | { readonly kind: 'return-active'; readonly token: string }
  | { readonly kind: 'refuse'; readonly revokeFamily: boolean };

export function decideRefresh(
  presented: PresentedToken,
  active: ActiveToken | undefined,
  rules: { readonly rotation: boolean; readonly reuseIntervalMs: number },
  nowMs: number,
): RefreshDecision {
  if (!presented.revoked) return { kind: 'swap' };
  if (active && active.parent === presented.token) return { kind: 'return-active', token: active.token };
  if (nowMs <= presented.updatedAtMs + rules.reuseIntervalMs) return { kind: 'swap' };
  return { kind: 'refuse', revokeFamily: rules.rotation };
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
export function judgeSession(
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
