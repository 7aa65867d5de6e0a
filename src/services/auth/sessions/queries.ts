/** Statements on auth.sessions and auth.mfa_amr_claims. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Session, User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { findUserAnd } from '../common/user-queries.ts';

export const amrClaims = sql`
  (select coalesce(json_agg(json_build_object(
     'authentication_method', c.authentication_method, 'updated_at', c.updated_at)), '[]')
   from auth.mfa_amr_claims c where c.session_id = s.id) as amr_claims`;

const columns = sql`
  s.id, s.user_id, s.created_at, s.updated_at, s.factor_id, s.aal, s.not_after, s.refreshed_at, s.user_agent,
  host(s.ip) as ip, s.tag, s.oauth_client_id, s.refresh_token_hmac_key, s.refresh_token_counter, s.scopes,${amrClaims}`;

export async function findSession(db: Queryable, id: string): Promise<Session | undefined> {
  const [session] = await db.query<Session>(sql`select ${columns} from auth.sessions s where s.id = ${id}`);
  return session;
}

/**
 * Finds a user, and the session with this ID if it exists, with one statement, because starting a statement costs more
 * than reading another row. The session's times are in ISO 8601, which `toRfc3339` can parse.
 */
export async function findUserWithSession(
  db: Queryable,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<{ readonly user: User; readonly session: Session | undefined } | undefined> {
  const row = await findUserAnd<{ readonly session: Session | null }>(
    db,
    sql`u.id = ${userId}`,
    sql`, (select to_json(o) from (select ${columns} from auth.sessions s where s.id = ${sessionId}) o) as session`,
  );
  if (row === undefined) return undefined;
  const { session, ...user } = row;
  return { user, session: session ?? undefined };
}

/** Locks a session. Returns undefined if the session doesn't exist or another transaction has locked its row. */
export async function lockSession(db: Queryable, id: string): Promise<Session | undefined> {
  const [session] = await db.query<Session>(
    sql`select ${columns} from auth.sessions s where s.id = ${id} for no key update of s skip locked`,
  );
  return session;
}

export function listSessions(db: Queryable, userId: string): Promise<Session[]> {
  return db.query<Session>(
    sql`select ${columns} from auth.sessions s where s.user_id = ${userId}
        order by coalesce(s.refreshed_at at time zone 'UTC', s.created_at) desc, s.id`,
  );
}

/** Lists the IP addresses of the user's sessions that have this assurance level or a higher one, newest first. */
export async function listSessionAddresses(db: Queryable, userId: string, aal: string): Promise<string[]> {
  const rows = await db.query<{ ip: string }>(sql`
    select host(ip) as ip from auth.sessions
    where user_id = ${userId} and ip is not null and coalesce(aal, 'aal1') >= ${aal}
    order by updated_at desc limit 100`);
  return rows.map(({ ip }) => ip);
}

export interface NewSession {
  readonly id: string;
  readonly userId: string;
  readonly userAgent: string | undefined;
  readonly ip: string | undefined;
  /** The OAuth client that the session belongs to, and the scopes granted to the client. */
  readonly oauth?: { readonly clientId: string; readonly scopes: string };
}

/**
 * The maximum number of sessions per user. The value is far above the number of devices that a person uses, and allows
 * for demo accounts that many visitors share.
 */
export const maxSessionsPerUser = 1000;

/** Adds a session. If the user has too many sessions, deletes those that haven't been used for the longest time. */
export async function insertSession(db: Queryable, session: NewSession, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    with excess as (
      delete from auth.sessions where id in (
        select id from auth.sessions where user_id = ${session.userId}
        order by greatest(created_at, refreshed_at at time zone 'utc') desc offset ${maxSessionsPerUser - 1}))
    insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip, oauth_client_id, scopes)
    values (${session.id}, ${session.userId}, ${now}, ${now}, 'aal1', ${session.userAgent || null},
            ${session.ip || null}, ${session.oauth?.clientId ?? null}, ${session.oauth?.scopes ?? null})`);
}

export async function addAmrClaim(
  db: Queryable,
  sessionId: string,
  method: string,
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
    values (${randomUUID()}, ${sessionId}, ${now}, ${now}, ${method})
    on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey do update set updated_at = ${now}`);
}

export async function setSessionAal(
  db: Queryable,
  id: string,
  {
    aal,
    factorId,
    nowMs,
  }: { readonly aal: string; readonly factorId: string | null; readonly nowMs: number },
): Promise<void> {
  await db.query(sql`
    update auth.sessions set aal = ${aal}, factor_id = ${factorId}, updated_at = ${fromMs(nowMs)} where id = ${id}`);
}

/** Records a refresh. The column refreshed_at is a timestamp without time zone, in UTC. */
export async function setRefreshInfo(
  db: Queryable,
  id: string,
  info: { readonly userAgent: string | undefined; readonly ip: string | undefined },
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    update auth.sessions
    set refreshed_at = ${now}::timestamptz at time zone 'UTC', user_agent = ${info.userAgent || null},
        ip = ${info.ip || null}, updated_at = ${now}
    where id = ${id}`);
}

export async function setRefreshCounter(
  db: Queryable,
  id: string,
  counter: number,
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    update auth.sessions set refresh_token_counter = ${counter}, updated_at = ${fromMs(nowMs)} where id = ${id}`);
}

/** Replaces the session's signing key. `key` is in base64url. Tokens signed with the previous key become invalid. */
export async function setRefreshKey(db: Queryable, id: string, key: string, nowMs: number): Promise<void> {
  await db.query(sql`
    update auth.sessions set refresh_token_hmac_key = ${key}, updated_at = ${fromMs(nowMs)} where id = ${id}`);
}

/** Makes the session end at `notAfter` (ISO 8601), regardless of the settings. */
export async function setSessionEnd(db: Queryable, id: string, notAfter: string): Promise<void> {
  await db.query(sql`update auth.sessions set not_after = ${notAfter} where id = ${id}`);
}

/** Records the sign-in that the session belongs to. `tag` is the ID of the first session of that sign-in. */
export async function setSessionTag(db: Queryable, id: string, tag: string): Promise<void> {
  await db.query(sql`update auth.sessions set tag = ${tag} where id = ${id}`);
}

export async function deleteSession(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.sessions where id = ${id}`);
}

/**
 * Deletes flows that could still result in a session, which are the flows with an unexchanged code and the flows that
 * link an identity. Must be called before the user's sessions are deleted, so that a concurrent code exchange can't
 * create a session in between. Keeps the flows of emailed links, because no code has been issued for them yet.
 */
async function deleteCodes(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`
    delete from auth.flow_state
    where linking_target_id = ${userId} or (user_id = ${userId} and auth_code_issued_at is not null)`);
  await db.query(
    sql`delete from auth.oauth_authorizations where user_id = ${userId} and status = 'approved'`,
  );
}

/** Deletes a single session of the user. Returns false if the session doesn't exist or belongs to another user. */
export async function deleteOwnSession(db: Queryable, id: string, userId: string): Promise<boolean> {
  await deleteCodes(db, userId);
  const rows = await db.query(
    sql`delete from auth.sessions where id = ${id} and user_id = ${userId} returning id`,
  );
  return rows.length > 0;
}

/** Deletes the user's sessions except the given sessions. Returns false if no session was deleted. */
export async function deleteSessions(
  db: Queryable,
  userId: string,
  exceptIds: readonly string[] = [],
): Promise<boolean> {
  await deleteCodes(db, userId);
  const rows = await db.query(
    sql`delete from auth.sessions where user_id = ${userId} and id <> all(${exceptIds}::uuid[]) returning id`,
  );
  return rows.length > 0;
}

/** Deletes the given sessions of the user. */
export async function deleteListedSessions(
  db: Queryable,
  userId: string,
  ids: readonly string[],
): Promise<void> {
  await deleteCodes(db, userId);
  await db.query(sql`delete from auth.sessions where user_id = ${userId} and id = any(${ids}::uuid[])`);
}

/** Deletes the client's sessions for all users. */
export async function deleteSessionsOfClient(db: Queryable, clientId: string): Promise<void> {
  await db.query(sql`delete from auth.sessions where oauth_client_id = ${clientId}`);
}

/** Deletes the client's sessions and unexchanged codes for this user. */
export async function deleteClientSessions(db: Queryable, userId: string, clientId: string): Promise<void> {
  await db.query(sql`
    delete from auth.oauth_authorizations
    where user_id = ${userId} and client_id = ${clientId} and status = 'approved'`);
  await db.query(sql`delete from auth.sessions where user_id = ${userId} and oauth_client_id = ${clientId}`);
}

/**
 * Deletes a client's session if it was created recently. Returns the session's user, or undefined if no session
 * matches.
 */
export async function deleteClientSession(
  db: Queryable,
  id: string,
  clientId: string,
  createdAfterMs: number,
): Promise<string | undefined> {
  const [row] = await db.query<{ user_id: string }>(sql`
    delete from auth.sessions
    where id = ${id} and oauth_client_id = ${clientId} and created_at > ${fromMs(createdAfterMs)} returning user_id`);
  return row?.user_id;
}

/** Deletes the user's sessions below this assurance level. Keeps sessions without a level. */
export async function deleteSessionsBelow(db: Queryable, userId: string, aal: string): Promise<void> {
  await db.query(sql`delete from auth.sessions where user_id = ${userId} and aal < ${aal}`);
}

/**
 * Lowers the assurance level of sessions that used a deleted factor, and removes the factor's amr claim from these
 * sessions. The sessions don't end.
 */
export async function downgradeSessions(
  db: Queryable,
  userId: string,
  factorId: string,
  method: string,
): Promise<void> {
  await db.query(sql`
    delete from auth.mfa_amr_claims
    where authentication_method = ${method}
      and session_id in (select id from auth.sessions where factor_id = ${factorId})`);
  await db.query(sql`
    update auth.sessions set aal = 'aal1', factor_id = null where user_id = ${userId} and factor_id = ${factorId}`);
}
