/** Statements on the keys of WebAuthn factors, which are stored in auth.mfa_factors. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import { fromMs } from '../common/times.ts';

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
  credential: JsonObject,
  aaguid: string,
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
  credential: JsonObject,
  countBefore: number,
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
