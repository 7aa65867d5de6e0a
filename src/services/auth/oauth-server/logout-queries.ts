/** Statements on _plinth.oauth_client_logout, and on sessions whose clients are notified when a session ends. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs } from '../common/times.ts';
import type { ClientLogout } from './client-logout.ts';

interface Row {
  readonly client_id: string;
  readonly post_logout_redirect_uris: string[];
  readonly backchannel_logout_uri: string | null;
  readonly frontchannel_logout_uri: string | null;
  readonly frontchannel_logout_session_required: boolean;
}

/** Returns the clients' sign-out metadata by client ID. */
export async function listClientLogouts(
  db: Queryable,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, ClientLogout>> {
  const rows = await db.query<Row>(sql`
    select client_id, post_logout_redirect_uris, backchannel_logout_uri, frontchannel_logout_uri,
      frontchannel_logout_session_required
    from _plinth.oauth_client_logout
    where client_id = any(${clientIds}::uuid[])`);
  return new Map(
    rows.map((row) => [
      row.client_id,
      {
        redirectUris: row.post_logout_redirect_uris,
        backchannelUri: row.backchannel_logout_uri,
        frontchannelUri: row.frontchannel_logout_uri,
        frontchannelNeedsSession: row.frontchannel_logout_session_required,
      },
    ]),
  );
}

export async function storeClientLogout(
  db: Queryable,
  clientId: string,
  { redirectUris, backchannelUri, frontchannelUri, frontchannelNeedsSession }: ClientLogout,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.oauth_client_logout (client_id, post_logout_redirect_uris, backchannel_logout_uri,
      frontchannel_logout_uri, frontchannel_logout_session_required)
    values (${clientId}, ${redirectUris}::text[], ${backchannelUri}, ${frontchannelUri}, ${frontchannelNeedsSession})
    on conflict (client_id) do update
    set post_logout_redirect_uris = excluded.post_logout_redirect_uris,
        backchannel_logout_uri = excluded.backchannel_logout_uri,
        frontchannel_logout_uri = excluded.frontchannel_logout_uri,
        frontchannel_logout_session_required = excluded.frontchannel_logout_session_required`);
}

/** A session whose OpenID client is notified when the session ends. */
export interface NotifiedSession {
  readonly id: string;
  readonly user_id: string;
  readonly client_id: string;
  readonly registration_type: 'manual' | 'dynamic';
  readonly backchannel_uri: string | null;
  readonly frontchannel_uri: string | null;
}

const ofNotifiedClients = sql`
  join auth.oauth_clients c on c.id = s.oauth_client_id and c.deleted_at is null
  join _plinth.oauth_client_logout l on l.client_id = c.id
    and (l.backchannel_logout_uri is not null or l.frontchannel_logout_uri is not null)`;

const withOpenid = sql`'openid' = any(string_to_array(s.scopes, ' '))`;

/**
 * Lists the user's sessions whose clients must be notified, alternating between clients. Returns no sessions for a
 * banned user, because a ban has already ended them.
 */
export function listNotifiedSessions(
  db: Queryable,
  userId: string,
  nowMs: number,
): Promise<NotifiedSession[]> {
  return db.query<NotifiedSession>(sql`
    select s.id, s.user_id, c.id as client_id, c.registration_type, l.backchannel_logout_uri as backchannel_uri,
      l.frontchannel_logout_uri as frontchannel_uri
    from auth.sessions s ${ofNotifiedClients}
    join auth.users u on u.id = s.user_id and (u.banned_until is null or u.banned_until <= ${fromMs(nowMs)})
    where s.user_id = ${userId} and ${withOpenid}
    order by row_number() over (partition by c.id order by s.created_at desc), s.id`);
}

/** Returns the IDs of the sessions that still exist and whose users aren't banned. */
export async function findLiveSessionIds(
  db: Queryable,
  ids: readonly string[],
  nowMs: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select s.id from auth.sessions s
    join auth.users u on u.id = s.user_id and (u.banned_until is null or u.banned_until <= ${fromMs(nowMs)})
    where s.id = any(${ids}::uuid[])`);
  return rows.map(({ id }) => id);
}

/** The session limits. 0 disables a limit. */
export interface SessionLimits {
  readonly timeboxMs: number;
  readonly inactivityTimeoutMs: number;
}

/**
 * Deletes a batch of sessions that have exceeded a limit and whose clients are notified over the back channel. Other
 * expired sessions are deleted a day later (see `housekeeping.ts`).
 */
export function deleteExpiredNotifiedSessions(
  db: Queryable,
  { timeboxMs, inactivityTimeoutMs }: SessionLimits,
  nowMs: number,
  limit: number,
): Promise<NotifiedSession[]> {
  const before = (ms: number): Sql => sql`${fromMs(nowMs - ms)}::timestamptz`;
  const lastUse = sql`coalesce(s.refreshed_at at time zone 'UTC', greatest(s.created_at, (
    select max(r.updated_at) from auth.refresh_tokens r where r.session_id = s.id and not r.revoked)))`;
  return db.query<NotifiedSession>(sql`
    with expired as (
      select s.id, s.user_id, c.id as client_id, c.registration_type, l.backchannel_logout_uri as backchannel_uri,
        null::text as frontchannel_uri
      from auth.sessions s ${ofNotifiedClients}
      where ${withOpenid} and l.backchannel_logout_uri is not null and (
        s.not_after < ${before(0)}
        or ${timeboxMs > 0} and s.created_at < ${before(timeboxMs)}
        or ${inactivityTimeoutMs > 0} and ${lastUse} < ${before(inactivityTimeoutMs)})
      order by s.id limit ${limit} for update of s skip locked),
    gone as (delete from auth.sessions where id in (select id from expired) returning id)
    select expired.* from expired join gone using (id)`);
}
