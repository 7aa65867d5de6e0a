/**
 * Deletes expired rows, at most a hundred rows per statement. Skips locked rows until the next round, so that requests
 * don't have to wait for the deletion. Unless noted otherwise, rows are kept as long as in GoTrue 2.196
 * (internal/models/cleanup.go).
 */

import { type Sql, sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';
import { fromMs } from './common/times.ts';

export interface Lifetimes {
  /** The session limits. 0 disables a limit. */
  readonly timeboxMs: number;
  readonly inactivityTimeoutMs: number;
  /** The time after which guests are deleted. */
  readonly guestLifetimeMs: number | undefined;
  /** The lifetime of the longest-lived code or link. */
  readonly longestCodeMs: number;
}

export const dayMs = 86_400_000;
export const batchRows = 100;

/** Returns the statements. Each statement deletes or changes one batch of rows and returns these rows. */
export function cleanups(lifetimes: Lifetimes, nowMs: number): readonly Sql[] {
  const ago = (ms: number) => sql`${fromMs(nowMs - ms)}::timestamptz`;
  const remove = (table: string, condition: Sql, limit = batchRows) => sql`
    delete from ${sql.id('auth', table)} where id in (
      select t.id from ${sql.id('auth', table)} t where ${condition} limit ${limit} for update of t skip locked)
    returning 1 as gone`;
  const { timeboxMs, inactivityTimeoutMs, guestLifetimeMs, longestCodeMs } = lifetimes;
  return [
    // Keeps the active token's parent. A client that didn't receive a response may present the parent token again,
    // regardless of its age.
    remove(
      'refresh_tokens',
      sql`t.revoked and t.updated_at < ${ago(dayMs)} and not exists (
        select from auth.refresh_tokens a where a.parent = t.token and a.session_id = t.session_id and not a.revoked)`,
    ),
    sql`
      update auth.refresh_tokens set revoked = true, updated_at = ${ago(0)} where id in (
        select t.id from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id
        where s.not_after < ${ago(dayMs)} and not t.revoked limit ${batchRows} for update of t skip locked)
      returning 1 as gone`,
    // Sessions are deleted after their tokens and in small batches, because deleting a session also deletes the rows
    // that reference it.
    remove('sessions', sql`t.not_after < ${ago(3 * dayMs)}`, 10),
    ...(timeboxMs > 0 ? [remove('sessions', sql`t.created_at < ${ago(timeboxMs + dayMs)}`)] : []),
    ...(inactivityTimeoutMs > 0
      ? [
          remove(
            'sessions',
            sql`coalesce(t.refreshed_at at time zone 'UTC', greatest(t.created_at, (
              select max(r.updated_at) from auth.refresh_tokens r where r.session_id = t.id and not r.revoked)))
              < ${ago(inactivityTimeoutMs + dayMs)}`,
          ),
        ]
      : []),
    remove('saml_relay_states', sql`t.created_at < ${ago(dayMs)}`),
    remove('flow_state', sql`t.created_at < ${ago(dayMs)}`),
    remove('oauth_client_states', sql`t.created_at < ${ago(dayMs)}`),
    remove('mfa_challenges', sql`t.created_at < ${ago(dayMs)}`),
    remove('mfa_factors', sql`t.status = 'unverified' and t.created_at < ${ago(dayMs)}`),
    // Expired authorizations are deleted, because anyone who knows a client's ID can create authorizations. Upstream
    // never deletes expired authorizations.
    remove('oauth_authorizations', sql`t.expires_at < ${ago(dayMs)}`),
    remove('webauthn_challenges', sql`t.expires_at < ${ago(0)}`),
    // Expired links are deleted. Upstream keeps a link until the user requests another link.
    remove('one_time_tokens', sql`t.created_at at time zone 'UTC' < ${ago(longestCodeMs + dayMs)}`),
    ...(guestLifetimeMs === undefined
      ? []
      : [remove('users', sql`t.is_anonymous and t.created_at < ${ago(guestLifetimeMs)}`)]),
  ];
}

/**
 * Acquires a lock and holds it until the transaction ends, so that only one process runs a round. Returns false if
 * another process holds the lock.
 */
export async function tryLock(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ held: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtext('plinth'), hashtext('auth housekeeping')) as held`,
  );
  return row?.held ?? false;
}
