/**
 * Refreshes tokens in batches. A single statement reads and locks all rows of a batch, and several small statements
 * write the changes.
 */
import { randomUUID } from 'node:crypto';
import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Setting } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import type { Session, User } from '../common/rows.ts';
import { userColumns, userRelations } from '../common/user-queries.ts';
import { amrClaims } from './queries.ts';

const noInstance = '00000000-0000-0000-0000-000000000000';

export interface ActiveRefresh {
  /** The token's position in the batch, starting at 1. */
  readonly place: number;
  readonly tokenId: number;
  readonly tokenUpdatedAt: string;
  readonly session: RefreshedSession;
  readonly user: User;
}

export type RefreshedSession = Pick<
  Session,
  'id' | 'created_at' | 'not_after' | 'refreshed_at' | 'oauth_client_id' | 'scopes' | 'amr_claims'
>;

/**
 * Finds the sessions and users for a batch of tokens. Returns each token's position, starting at 1, with its session
 * and user. Omits a token if it is unknown or revoked, if the session or user doesn't exist, or if another transaction
 * has locked the row of the token, session or user. Never waits for a lock, so the statement can't block the connection
 * pool or deadlock with a change to the user. Looks up each token separately, which ensures that PostgreSQL uses an
 * index scan regardless of the planner's estimates. Combines all lookups in a single statement, because starting the
 * plan of a lookup costs more than running it.
 */
export function activeRefreshes(tokens: readonly string[]): Sql {
  return sql`
    select asked.place::int, found.*
    from unnest(${tokens}::text[]) with ordinality as asked (token, place)
    cross join lateral (
      select t.id as token_id, t.updated_at as token_updated_at, ${userColumns}, ${userRelations},
             s.id as session_id, s.created_at as session_created_at, s.not_after, s.refreshed_at, s.oauth_client_id,
             s.scopes, ${amrClaims}
      from auth.refresh_tokens t
      join auth.sessions s on s.id = t.session_id
      join auth.users u on u.id = s.user_id and u.instance_id = ${noInstance}
      where t.token = asked.token and t.revoked is false
      for no key update of t, s, u skip locked
    ) as found`;
}

interface Row extends User, Omit<RefreshedSession, 'id' | 'created_at'> {
  readonly place: number;
  readonly token_id: number;
  readonly token_updated_at: string;
  readonly session_id: string;
  readonly session_created_at: string;
}

/**
 * Parses a row of {@link activeRefreshes}. The row also serves as the user object, which may contain additional
 * columns.
 */
export function readActiveRefresh(row: object): ActiveRefresh {
  const user = row as Row;
  const { not_after, refreshed_at, oauth_client_id, scopes, amr_claims } = user;
  return {
    place: user.place,
    tokenId: user.token_id,
    tokenUpdatedAt: user.token_updated_at,
    session: {
      id: user.session_id,
      created_at: user.session_created_at,
      not_after,
      refreshed_at,
      oauth_client_id,
      scopes,
      amr_claims,
    },
    user,
  };
}

export interface TokenRotation {
  /** The user and the session, with the new times in the user's row. */
  readonly user: User;
  readonly session: RefreshedSession;
  readonly tokenId: number;
  readonly token: string;
  readonly child: string;
  readonly userAgent: string;
  readonly ip: string;
  /** The payloads of the audit log entries. */
  readonly entries: readonly JsonObject[];
}

/**
 * Returns the statements that revoke the tokens, insert their children and record the refreshes, one per table. The
 * statements are in upstream's order, because triggers can observe the order. The statements use the indexes if
 * {@link rotationSettings} is in effect.
 */
export function tokenRotations(rotations: readonly TokenRotation[], now: string): Sql[] {
  const entries = rotations.flatMap(({ entries }) => entries);
  const sessionIds = rotations.map(({ session }) => session.id);
  return [
    sql`insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        select ${noInstance}, id, payload, ${now}, ''
        from unnest(${entries.map(() => randomUUID())}::uuid[], ${entries}::json[]) as e (id, payload)`,
    sql`update auth.refresh_tokens set revoked = true, updated_at = ${now}
        where id = any(${rotations.map(({ tokenId }) => tokenId)}::bigint[])`,
    sql`insert into auth.refresh_tokens
          (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
        select ${noInstance}, child, user_id, false, ${now}, ${now}, token, session_id
        from unnest(${rotations.map(({ child }) => child)}::text[], ${rotations.map(({ user }) => user.id)}::text[],
                    ${rotations.map(({ token }) => token)}::text[], ${sessionIds}::uuid[])
          as t (child, user_id, token, session_id)`,
    sql`update auth.users set last_sign_in_at = coalesce(last_sign_in_at, ${now}), updated_at = ${now}
        where id = any(${rotations.map(({ user }) => user.id)}::uuid[])`,
    sql`update auth.sessions
        set refreshed_at = ${now}::timestamptz at time zone 'UTC', updated_at = ${now},
            user_agent = (${rotations.map(({ userAgent }) => userAgent || null)}::text[])[array_position(${sessionIds}::uuid[], id)],
            ip = (${rotations.map(({ ip }) => ip || null)}::inet[])[array_position(${sessionIds}::uuid[], id)]
        where id = any(${sessionIds}::uuid[])`,
  ];
}

/**
 * Settings that force generic plans. Without these settings, PostgreSQL would plan a statement with few tokens again at
 * each execution. Sequential scans are disabled because PostgreSQL may have created the cached plan when the tables
 * were empty.
 */
export const rotationSettings: readonly Setting[] = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
];
