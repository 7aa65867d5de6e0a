/** Statements on _plinth.recovery_codes, and on sessions that reached aal2 with a recovery code. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { recoveryCodeMethod } from '../common/claims.ts';
import { fromMs } from '../common/times.ts';

export interface RecoveryCodeSet {
  readonly total: number;
  readonly remaining: number;
  readonly created_at: string;
}

export async function findRecoveryCodes(db: Queryable, userId: string): Promise<RecoveryCodeSet | undefined> {
  const [set] = await db.query<RecoveryCodeSet>(sql`
    select total, cardinality(hashes) as remaining, created_at from _plinth.recovery_codes
    where user_id = ${userId}`);
  return set;
}

/** Stores a new set of codes, which replaces all earlier codes. */
export async function replaceRecoveryCodes(
  db: Queryable,
  userId: string,
  hashes: readonly string[],
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into _plinth.recovery_codes (user_id, hashes, total, created_at)
    values (${userId}, ${hashes}::text[], ${hashes.length}, ${now})
    on conflict (user_id) do update
    set hashes = excluded.hashes, total = excluded.total, created_at = excluded.created_at`);
}

export async function hasRecoveryCode(db: Queryable, userId: string, hash: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from _plinth.recovery_codes where user_id = ${userId} and ${hash} = any(hashes)`);
  return rows.length > 0;
}

/**
 * Removes a code from the user's set. Returns false if the set doesn't contain a code with this hash. If two requests
 * send the same code, only one of the two calls returns true.
 */
export async function consumeRecoveryCode(db: Queryable, userId: string, hash: string): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.recovery_codes set hashes = array_remove(hashes, ${hash})
    where user_id = ${userId} and ${hash} = any(hashes)
    returning user_id`);
  return rows.length > 0;
}

/**
 * Deletes all of a user's codes. Returns false if the user had no codes. Doesn't end sessions that reached aal2 with a
 * recovery code, but lowers them to aal1.
 */
export async function deleteRecoveryCodes(db: Queryable, userId: string): Promise<boolean> {
  const rows = await db.query(
    sql`delete from _plinth.recovery_codes where user_id = ${userId} returning user_id`,
  );
  await db.query(sql`
    delete from auth.mfa_amr_claims
    where authentication_method = ${recoveryCodeMethod}
      and session_id in (select id from auth.sessions where user_id = ${userId})`);
  await db.query(sql`
    update auth.sessions set aal = 'aal1'
    where user_id = ${userId} and aal = 'aal2' and factor_id is null`);
  return rows.length > 0;
}

/** Deletes the codes of users who were deleted directly in the database. */
export async function deleteOrphanedRecoveryCodes(db: Queryable): Promise<void> {
  await db.query(sql`
    delete from _plinth.recovery_codes c where not exists (select from auth.users u where u.id = c.user_id)`);
}
