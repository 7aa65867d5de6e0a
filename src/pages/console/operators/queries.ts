import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { type OperatorRole, secretSchemas } from '../core/roles.ts';
import type { AuditEntry, OperatorSummary, SessionSummary } from './contract.ts';

export const listOperators = (db: Queryable): Promise<OperatorSummary[]> =>
  db.query(sql`
    select o.id, o.name, o.role, o.created_at, o.last_sign_in_at, o.totp_confirmed_at is not null as has_factor,
           (select count(*) from _plinth.operator_sessions s where s.operator_id = o.id and s.expires_at > now())::int
             as sessions,
           (select max(expires_at) from _plinth.operator_links l where l.operator_id = o.id and l.expires_at > now())
             as link_expires_at
    from _plinth.operators o order by o.created_at, o.name`);

export async function findById(
  db: Queryable,
  id: string,
): Promise<{ id: string; name: string; role: OperatorRole } | undefined> {
  const [row] = await db.query<{ id: string; name: string; role: OperatorRole }>(
    sql`select id, name, role from _plinth.operators where id = ${id}`,
  );
  return row;
}

/** Locks the operators table so that two owners can't remove each other concurrently. */
export async function lockOperators(tx: Queryable): Promise<void> {
  await tx.query(sql`lock table _plinth.operators in share row exclusive mode`);
}

export async function otherOwners(tx: Queryable, id: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from _plinth.operators where role = 'owner' and id <> ${id}`,
  );
  return row?.count ?? 0;
}

/** Revokes the operator's unused sign-in links. */
export async function removeLinks(db: Queryable, operatorId: string): Promise<void> {
  await db.query(sql`delete from _plinth.operator_links where operator_id = ${operatorId}`);
}

export async function setRole(tx: Queryable, id: string, role: OperatorRole): Promise<void> {
  await tx.query(sql`update _plinth.operators set role = ${role} where id = ${id}`);
}

export async function removeOperator(tx: Queryable, id: string): Promise<void> {
  await tx.query(sql`delete from _plinth.operators where id = ${id}`);
}

/** Lists the sessions of one operator or of all operators. */
export const listSessions = (
  db: Queryable,
  operatorId: string | undefined,
  currentId: string,
): Promise<SessionSummary[]> =>
  db.query(sql`
    select s.id, s.operator_id, o.name as operator_name, s.user_agent, s.ip, s.created_at, s.last_seen_at,
           s.id = ${currentId} as current
    from _plinth.operator_sessions s join _plinth.operators o on o.id = s.operator_id
    where s.expires_at > now() ${operatorId === undefined ? sql.empty : sql`and s.operator_id = ${operatorId}`}
    order by s.last_seen_at desc, s.id`);

/** Ends a session and returns the name of the operator who was signed in. */
export async function endSession(
  db: Queryable,
  id: string,
  operatorId: string | undefined,
): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(sql`
    delete from _plinth.operator_sessions s using _plinth.operators o
    where s.id = ${id} and o.id = s.operator_id
      ${operatorId === undefined ? sql.empty : sql`and s.operator_id = ${operatorId}`}
    returning o.name`);
  return row?.name;
}

/** Ends all sessions of an operator except the session `butId`. */
export async function endSessionsOf(db: Queryable, operatorId: string, butId?: string): Promise<void> {
  await db.query(sql`
    delete from _plinth.operator_sessions where operator_id = ${operatorId}
    ${butId === undefined ? sql.empty : sql`and id <> ${butId}`}`);
}

export interface FactorRow {
  totp_secret: Buffer | null;
  confirmed: boolean;
  recovery_codes_left: number;
}

export async function findFactor(db: Queryable, operatorId: string): Promise<FactorRow | undefined> {
  const [row] = await db.query<FactorRow>(sql`
    select totp_secret, totp_confirmed_at is not null as confirmed,
           (select count(*) from _plinth.operator_recovery_codes c where c.operator_id = o.id and used_at is null)::int
             as recovery_codes_left
    from _plinth.operators o where id = ${operatorId}`);
  return row;
}

/** Stores a TOTP secret that isn't confirmed yet. Returns false if the operator already has a confirmed secret. */
export async function beginFactor(db: Queryable, operatorId: string, secret: Buffer): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.operators set totp_secret = ${secret}
    where id = ${operatorId} and totp_confirmed_at is null returning 1`);
  return rows.length > 0;
}

/** Marks a TOTP time step as used. Returns false if this time step or a later one has already been used. */
export async function consumeStep(db: Queryable, operatorId: string, step: number): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.operators set totp_last_step = ${step}::bigint
    where id = ${operatorId} and totp_last_step < ${step}::bigint returning 1`);
  return rows.length > 0;
}

/**
 * Activates the secret with which a code was compared. Returns false if the operator has another secret now, or if a
 * concurrent request has activated it.
 */
export async function confirmFactor(
  tx: Queryable,
  operatorId: string,
  secret: Buffer,
  codeHashes: readonly string[],
): Promise<boolean> {
  const rows = await tx.query(sql`
    update _plinth.operators set totp_confirmed_at = now()
    where id = ${operatorId} and totp_secret = ${secret} and totp_confirmed_at is null returning 1`);
  if (rows.length === 0) return false;
  await tx.query(sql`delete from _plinth.operator_recovery_codes where operator_id = ${operatorId}`);
  await tx.query(sql`
    insert into _plinth.operator_recovery_codes (operator_id, code_hash)
    select ${operatorId}, unnest(${codeHashes}::text[])`);
  return true;
}

export async function removeFactor(tx: Queryable, operatorId: string): Promise<void> {
  await tx.query(sql`
    update _plinth.operators set totp_secret = null, totp_confirmed_at = null where id = ${operatorId}`);
  await tx.query(sql`delete from _plinth.operator_recovery_codes where operator_id = ${operatorId}`);
  await tx.query(sql`delete from _plinth.operator_passkeys where operator_id = ${operatorId}`);
}

export async function takeRecoveryCode(
  db: Queryable,
  operatorId: string,
  codeHash: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.operator_recovery_codes set used_at = now()
    where operator_id = ${operatorId} and code_hash = ${codeHash} and used_at is null returning 1`);
  return rows.length > 0;
}

export async function markProven(db: Queryable, sessionId: string): Promise<void> {
  await db.query(sql`update _plinth.operator_sessions set factor_at = now() where id = ${sessionId}`);
}

export interface AuditFilter {
  readonly operator?: string | undefined;
  readonly action?: string | undefined;
  readonly search?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** If set, only entries with a smaller ID are returned. */
  readonly before?: string | undefined;
}

/**
 * Lists the newest entries in the audit log. Row keys and filters contain values from the table. For tables with
 * secrets, keys and filters are omitted unless the operator can see secrets. The search also ignores the details that
 * are omitted.
 */
export function listAudit(
  db: Queryable,
  filter: AuditFilter,
  limit: number,
  maySeeSecrets: boolean,
): Promise<AuditEntry[]> {
  const { operator, action, search, since, until, before } = filter;
  const detail = maySeeSecrets
    ? sql`detail`
    : sql`case when action like 'row.%' and split_part(target, '.', 1) = any(${secretSchemas}::text[])
            then detail - ${valueFields}::text[] else detail end`;
  const conditions: Sql[] = [sql`true`];
  if (operator !== undefined) conditions.push(sql`operator_name = ${operator}`);
  if (action !== undefined)
    conditions.push(sql`(action = ${action} or starts_with(action, ${`${action}.`}))`);
  if (search !== undefined)
    conditions.push(
      sql`strpos(lower(concat_ws(' ', action, target, (${detail})::text, request_id)), lower(${search})) > 0`,
    );
  if (since !== undefined) conditions.push(sql`at >= ${since}::timestamptz`);
  if (until !== undefined) conditions.push(sql`at < ${until}::timestamptz`);
  if (before !== undefined) conditions.push(sql`id < ${before}::bigint`);
  return db.query(sql`
    select id::text, at, operator_name, action, target, ${detail} as detail, request_id from _plinth.audit_log
    where ${sql.join(conditions, ' and ')} order by _plinth.audit_log.id desc limit ${limit}::int`);
}

/** The fields that contain values from rows, in the details of row changes. */
const valueFields = ['key', 'keys', 'filters'];

/** Lists the values that entries can be filtered by. */
export const auditFacets = (db: Queryable): Promise<{ operator_name: string; action: string }[]> =>
  db.query(sql`select distinct operator_name, action from _plinth.audit_log order by 1, 2`);
