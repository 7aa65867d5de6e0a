/**
 * Statements on Plinth's own tables: _plinth.recovery_codes (and sessions that reached aal2 with a recovery code),
 * _plinth.factor_removals and _plinth.totp_steps.
 */
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

export interface FactorRemoval {
  readonly user_id: string;
  /** The language of the page on which the user requested the removal. */
  readonly language: string | null;
  readonly requested_at: string;
  /**
   * The time at which the factors will be removed. Null until the user confirms the request through the link in the
   * email.
   */
  readonly due_at: string | null;
}

const removalColumns = sql`user_id, language, requested_at, due_at`;

export async function findRemoval(db: Queryable, userId: string): Promise<FactorRemoval | undefined> {
  const [row] = await db.query<FactorRemoval>(
    sql`select ${removalColumns} from _plinth.factor_removals where user_id = ${userId}`,
  );
  return row;
}

export async function findRemovalByHash(db: Queryable, hash: string): Promise<FactorRemoval | undefined> {
  const [row] = await db.query<FactorRemoval>(
    sql`select ${removalColumns} from _plinth.factor_removals where hash = ${hash}`,
  );
  return row;
}

/** Stores a request. Replaces an unconfirmed request, but keeps a confirmed request. */
export async function insertRemoval(
  db: Queryable,
  removal: {
    readonly userId: string;
    readonly hash: string;
    readonly language: string | undefined;
    readonly nowMs: number;
  },
): Promise<void> {
  const now = fromMs(removal.nowMs);
  await db.query(sql`
    insert into _plinth.factor_removals (user_id, hash, language, requested_at)
    values (${removal.userId}, ${removal.hash}, ${removal.language ?? null}, ${now})
    on conflict (user_id) do update
    set hash = excluded.hash, language = excluded.language, requested_at = excluded.requested_at
    where factor_removals.due_at is null`);
}

/** Confirms a request. Returns false if the removal has already been canceled or confirmed. */
export async function confirmRemoval(db: Queryable, hash: string, dueMs: number): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.factor_removals set due_at = ${fromMs(dueMs)} where hash = ${hash} and due_at is null
    returning user_id`);
  return rows.length > 0;
}

/** Cancels the user's request. Returns whether the user had confirmed the request. */
export async function deleteRemoval(db: Queryable, userId: string): Promise<boolean> {
  const [row] = await db.query<{ was_confirmed: boolean }>(sql`
    delete from _plinth.factor_removals where user_id = ${userId} returning due_at is not null as was_confirmed`);
  return row?.was_confirmed === true;
}

/** Deletes all requests. Returns the requests that users had confirmed. */
export async function deleteAllRemovals(db: Queryable): Promise<readonly FactorRemoval[]> {
  const rows = await db.query<FactorRemoval>(
    sql`delete from _plinth.factor_removals returning ${removalColumns}`,
  );
  return rows.filter(({ due_at }) => due_at !== null);
}

/** Returns and deletes a request that is due. Skips requests that another process is handling. */
export async function takeDueRemoval(db: Queryable, nowMs: number): Promise<FactorRemoval | undefined> {
  const [row] = await db.query<FactorRemoval>(sql`
    delete from _plinth.factor_removals where user_id = (
      select user_id from _plinth.factor_removals where due_at <= ${fromMs(nowMs)}
      order by due_at limit 1 for update skip locked)
    returning ${removalColumns}`);
  return row;
}

/**
 * Returns a request that is due before `dueBeforeMs` and for which no reminder has been sent. Marks the reminder as
 * sent.
 */
export async function takeReminder(
  db: Queryable,
  dueBeforeMs: number,
  nowMs: number,
): Promise<FactorRemoval | undefined> {
  const [row] = await db.query<FactorRemoval>(sql`
    update _plinth.factor_removals set reminded_at = ${fromMs(nowMs)} where user_id = (
      select user_id from _plinth.factor_removals where reminded_at is null and due_at <= ${fromMs(dueBeforeMs)}
      order by due_at limit 1 for update skip locked)
    returning ${removalColumns}`);
  return row;
}

/** Deletes requests that weren't confirmed in time, and requests of users who no longer exist. */
export async function deleteStaleRemovals(db: Queryable, oldestMs: number): Promise<void> {
  await db.query(sql`
    delete from _plinth.factor_removals r where (r.due_at is null and r.requested_at < ${fromMs(oldestMs)})
      or not exists (select from auth.users u where u.id = r.user_id)`);
}

/**
 * Whether, since this time, the user's password or a contact was changed, an identity was linked, or the account was
 * secured.
 */
export async function hasChangedSince(db: Queryable, userId: string, sinceMs: number): Promise<boolean> {
  const rows = await db.query(sql`
    select from _plinth.security_events where user_id = ${userId} and created_at > ${fromMs(sinceMs)}
      and kind in ('password_changed', 'email_changed', 'phone_changed', 'identity_linked', 'secured') limit 1`);
  return rows.length > 0;
}

/**
 * Stores the time step of an accepted code. Returns false if the code of this step or of a newer step has been accepted
 * before. If two requests send the same code, only one of the two calls returns true.
 */
export async function consumeTotpStep(db: Queryable, factorId: string, step: number): Promise<boolean> {
  const rows = await db.query(sql`
    insert into _plinth.totp_steps as t (factor_id, step) values (${factorId}, ${step}::bigint)
    on conflict (factor_id) do update set step = excluded.step where t.step < excluded.step
    returning true`);
  return rows.length > 0;
}

export async function deleteTotpSteps(db: Queryable, before: number): Promise<void> {
  await db.query(sql`delete from _plinth.totp_steps where step < ${before}::bigint`);
}
