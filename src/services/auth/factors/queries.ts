/** Statements on auth.mfa_factors and auth.mfa_challenges. */
import { randomInt, randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import type { Factor, FactorType, MfaChallenge } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';

const columns = sql`
  id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone, last_challenged_at,
  web_authn_aaguid, last_webauthn_challenge_data`;

export async function findFactor(db: Queryable, id: string, userId: string): Promise<Factor | undefined> {
  const [factor] = await db.query<Factor>(
    sql`select ${columns} from auth.mfa_factors where id = ${id} and user_id = ${userId}`,
  );
  return factor;
}

export function listFactors(db: Queryable, userId: string): Promise<Factor[]> {
  return db.query<Factor>(
    sql`select ${columns} from auth.mfa_factors where user_id = ${userId} order by created_at, id`,
  );
}

export async function hasAnyVerifiedFactor(db: Queryable, userId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from auth.mfa_factors where user_id = ${userId} and status = 'verified' limit 1`);
  return rows.length > 0;
}

export interface NewFactor {
  readonly userId: string;
  readonly type: FactorType;
  readonly friendlyName: string;
  readonly secret?: string;
  readonly phone?: string;
}

export async function insertFactor(db: Queryable, factor: NewFactor, nowMs: number): Promise<string> {
  const id = randomUUID();
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.mfa_factors
      (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
    values (${id}, ${factor.userId}, ${factor.friendlyName}, ${factor.type}, 'unverified', ${now}, ${now},
            ${factor.secret ?? ''}, ${factor.phone ?? null})`);
  return id;
}

export async function updateFactor(
  db: Queryable,
  factor: Factor,
  patch: Partial<Pick<Factor, 'friendly_name' | 'phone' | 'status'>>,
  nowMs: number,
): Promise<void> {
  const changes = { ...patch, updated_at: fromMs(nowMs) };
  const assignments = Object.entries(changes).map(([name, value]) => sql`${sql.id(name)} = ${value}`);
  await db.query(sql`update auth.mfa_factors set ${sql.join(assignments)} where id = ${factor.id}`);
  Object.assign(factor, changes);
}

export async function deleteFactor(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.mfa_factors where id = ${id}`);
}

export async function deleteFactors(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`delete from auth.mfa_factors where user_id = ${userId}`);
}

export async function deleteUnverifiedFactors(
  db: Queryable,
  userId: string,
  type: FactorType,
): Promise<void> {
  await db.query(sql`
    delete from auth.mfa_factors where user_id = ${userId} and status = 'unverified' and factor_type = ${type}`);
}

/** Deletes enrollments that users started but never completed. */
export async function deleteStaleFactors(db: Queryable, userId: string, beforeMs: number): Promise<void> {
  await db.query(sql`
    delete from auth.mfa_factors
    where user_id = ${userId} and status = 'unverified' and created_at < ${fromMs(beforeMs)}`);
}

export async function insertChallenge(
  db: Queryable,
  factor: Factor,
  challenge: { readonly ip: string; readonly otpCode: string; readonly webAuthnSession?: JsonObject },
  nowMs: number,
): Promise<string> {
  const id = randomUUID();
  const now = fromMs(nowMs);
  // `last_challenged_at` must be unique across all factors, so random microseconds distinguish concurrent challenges.
  // Updates the factor before inserting the challenge. Otherwise, inserting the challenge would first take a share lock
  // on the factor for the foreign key, and two concurrent requests would deadlock when upgrading their locks.
  const challengedAt = now.replace('Z', `${String(randomInt(1000)).padStart(3, '0')}Z`);
  await db.query(sql`
    update auth.mfa_factors set last_challenged_at = ${challengedAt}, updated_at = ${now} where id = ${factor.id}`);
  await db.query(sql`
    insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
    values (${id}, ${factor.id}, ${now}, ${challenge.ip}, ${challenge.otpCode},
            ${challenge.webAuthnSession ?? null})`);
  return id;
}

export async function findChallenge(
  db: Queryable,
  id: string,
  factorId: string,
): Promise<MfaChallenge | undefined> {
  const [row] = await db.query<MfaChallenge>(sql`
    select id, factor_id, created_at, verified_at, host(ip_address) as ip_address, otp_code,
           web_authn_session_data
    from auth.mfa_challenges where id = ${id} and factor_id = ${factorId}`);
  return row;
}

/**
 * Marks a challenge as verified, so that clients can use it only once. Returns false if a concurrent request has
 * already used the challenge.
 */
export async function consumeChallenge(db: Queryable, id: string, nowMs: number): Promise<boolean> {
  const rows = await db.query(sql`
    update auth.mfa_challenges set verified_at = ${fromMs(nowMs)} where id = ${id} and verified_at is null
    returning id`);
  return rows.length > 0;
}

export async function deleteChallenge(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from auth.mfa_challenges where id = ${id}`);
}

export interface FactorKey {
  readonly factor_id: string;
  readonly web_authn_credential: JsonObject | null;
}

/** Lists the keys of the user's verified factors, oldest first. */
export function listFactorKeys(db: Queryable, userId: string): Promise<FactorKey[]> {
  return db.query<FactorKey>(sql`
    select id as factor_id, web_authn_credential from auth.mfa_factors
    where user_id = ${userId} and factor_type = 'webauthn' and status = 'verified'
    order by created_at, id`);
}

export async function saveNewFactorKey(
  db: Queryable,
  factorId: string,
  { credential, aaguid }: { readonly credential: JsonObject; readonly aaguid: string },
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    update auth.mfa_factors
    set web_authn_credential = ${credential}, web_authn_aaguid = ${aaguid}, updated_at = ${fromMs(nowMs)}
    where id = ${factorId}`);
}

/**
 * Stores the key's state after the user has used the key. Returns false if the stored counter is no longer
 * `countBefore`, because another use has changed it.
 */
export async function saveFactorKeyUse(
  db: Queryable,
  factorId: string,
  { credential, countBefore }: { readonly credential: JsonObject; readonly countBefore: number },
  nowMs: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    update auth.mfa_factors set web_authn_credential = ${credential}, updated_at = ${fromMs(nowMs)}
    where id = ${factorId}
      and coalesce((web_authn_credential -> 'authenticator' ->> 'signCount')::bigint, 0) = ${countBefore}
    returning id`);
  return rows.length > 0;
}

export async function saveLastChallenge(
  db: Queryable,
  factorId: string,
  data: JsonObject,
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    update auth.mfa_factors set last_webauthn_challenge_data = ${data}, updated_at = ${fromMs(nowMs)}
    where id = ${factorId}`);
}
