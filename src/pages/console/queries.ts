import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';
import type { OperatorRole } from './core/roles.ts';

export interface OperatorRow {
  id: string;
  name: string;
  role: OperatorRole;
}

export async function findOperator(db: Queryable, name: string): Promise<OperatorRow | undefined> {
  const [row] = await db.query<OperatorRow>(
    sql`select id, name, role from _plinth.operators where name = ${name}`,
  );
  return row;
}

/**
 * Returns the first owner, for whom sign-in links are created by default. Returns undefined if the project has no
 * owner.
 */
export async function findFirstOwner(db: Queryable): Promise<OperatorRow | undefined> {
  const [row] = await db.query<OperatorRow>(
    sql`select id, name, role from _plinth.operators where role = 'owner' order by created_at, name limit 1`,
  );
  return row;
}

export async function ensureOperator(db: Queryable, name: string, role: OperatorRole): Promise<OperatorRow> {
  const [row] = await db.query<OperatorRow>(sql`
    insert into _plinth.operators (name, role) values (${name}, ${role})
    on conflict (name) do update set name = excluded.name
    returning id, name, role`);
  if (row === undefined) throw new Error('an upsert returned no row');
  return row;
}

export async function createOperator(
  db: Queryable,
  name: string,
  role: OperatorRole,
): Promise<OperatorRow | undefined> {
  const [row] = await db.query<OperatorRow>(sql`
    insert into _plinth.operators (name, role) values (${name}, ${role})
    on conflict (name) do nothing returning id, name, role`);
  return row;
}

/** Creates an operator, or changes the role of an existing one. */
export async function saveOperator(db: Queryable, name: string, role: OperatorRole): Promise<void> {
  await db.query(sql`
    insert into _plinth.operators (name, role) values (${name}, ${role})
    on conflict (name) do update set role = excluded.role`);
}

/**
 * Changes an operator's role, or removes the operator with all sessions, tokens and agents if the role is null. Returns
 * false if nothing has changed.
 */
export async function changeOperator(
  db: Queryable,
  name: string,
  role: OperatorRole | null,
): Promise<boolean> {
  const changed = await db.query(
    role === null
      ? sql`delete from _plinth.operators where name = ${name} returning 1`
      : sql`update _plinth.operators set role = ${role} where name = ${name} and role <> ${role} returning 1`,
  );
  return changed.length > 0;
}

export const listOperators = (
  db: Queryable,
): Promise<(OperatorRow & { created_at: string; last_sign_in_at: string | null })[]> =>
  db.query(
    sql`select id, name, role, created_at, last_sign_in_at from _plinth.operators order by created_at`,
  );

export async function insertLink(
  db: Queryable,
  tokenHash: Buffer,
  operatorId: string,
  lifetimeSeconds: number,
): Promise<void> {
  await db.query(sql`
    with expired as (delete from _plinth.operator_links where expires_at < now())
    insert into _plinth.operator_links (token_hash, operator_id, expires_at)
    values (${tokenHash}, ${operatorId}, now() + make_interval(secs => ${lifetimeSeconds}))`);
}

/**
 * Deletes the sign-in link and returns the link's operator, so that the link works only once even if two browsers use
 * it at the same time.
 */
export async function consumeLink(
  db: Queryable,
  tokenHash: Buffer,
): Promise<(OperatorRow & { has_factor: boolean }) | undefined> {
  const [row] = await db.query<OperatorRow & { has_factor: boolean }>(sql`
    with taken as (delete from _plinth.operator_links where token_hash = ${tokenHash} returning operator_id, expires_at)
    update _plinth.operators o set last_sign_in_at = now() from taken
    where o.id = taken.operator_id and taken.expires_at > now()
    returning o.id, o.name, o.role, o.totp_confirmed_at is not null as has_factor`);
  return row;
}

export interface SessionRow extends OperatorRow {
  csrf_token: string;
  session_id: string;
  has_factor: boolean;
  factor_proven: boolean;
  /**
   * Whether the operator signed in (or, if the operator has a second factor, verified it) within the last
   * `freshSeconds` seconds.
   */
  is_fresh: boolean;
}

export async function insertSession(
  db: Queryable,
  session: {
    cookieHash: Buffer;
    operatorId: string;
    csrfToken: string;
    userAgent: string | null;
    ip: string;
    lifetimeSeconds: number;
  },
): Promise<string> {
  const [row] = await db.query<{ id: string }>(sql`
    with expired as (delete from _plinth.operator_sessions where expires_at < now())
    insert into _plinth.operator_sessions (cookie_hash, operator_id, csrf_token, user_agent, ip, expires_at)
    values (${session.cookieHash}, ${session.operatorId}, ${session.csrfToken}, ${session.userAgent}, ${session.ip},
            now() + make_interval(secs => ${session.lifetimeSeconds}))
    returning id`);
  if (row === undefined) throw new Error('an insert returned no row');
  return row.id;
}

/** Finds a session. Also updates the time at which the session was last used, at most once every five minutes. */
export async function findSession(
  db: Queryable,
  cookieHash: Buffer,
  freshSeconds: number,
): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>(sql`
    with seen as (
      update _plinth.operator_sessions set last_seen_at = now()
      where cookie_hash = ${cookieHash} and last_seen_at < now() - interval '5 minutes')
    select o.id, o.name, o.role, s.csrf_token, s.id as session_id,
           o.totp_confirmed_at is not null as has_factor, s.factor_at is not null as factor_proven,
           coalesce(case when o.totp_confirmed_at is null then s.created_at else s.factor_at end
             > now() - make_interval(secs => ${freshSeconds}), false) as is_fresh
    from _plinth.operator_sessions s join _plinth.operators o on o.id = s.operator_id
    where s.cookie_hash = ${cookieHash} and s.expires_at > now()`);
  return row;
}

export async function endSessionSoon(db: Queryable, cookieHash: Buffer, seconds: number): Promise<void> {
  await db.query(sql`
    update _plinth.operator_sessions set expires_at = least(expires_at, now() + make_interval(secs => ${seconds}))
    where cookie_hash = ${cookieHash}`);
}

export async function deleteSession(db: Queryable, cookieHash: Buffer): Promise<void> {
  await db.query(sql`delete from _plinth.operator_sessions where cookie_hash = ${cookieHash}`);
}
