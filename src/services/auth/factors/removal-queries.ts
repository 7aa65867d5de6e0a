/** Statements on _plinth.factor_removals. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs } from '../common/times.ts';

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

const columns = sql`user_id, language, requested_at, due_at`;

export async function findRemoval(db: Queryable, userId: string): Promise<FactorRemoval | undefined> {
  const [row] = await db.query<FactorRemoval>(
    sql`select ${columns} from _plinth.factor_removals where user_id = ${userId}`,
  );
  return row;
}

export async function findRemovalByHash(db: Queryable, hash: string): Promise<FactorRemoval | undefined> {
  const [row] = await db.query<FactorRemoval>(
    sql`select ${columns} from _plinth.factor_removals where hash = ${hash}`,
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
  const rows = await db.query<FactorRemoval>(sql`delete from _plinth.factor_removals returning ${columns}`);
  return rows.filter(({ due_at }) => due_at !== null);
}

/** Returns and deletes a request that is due. Skips requests that another process is handling. */
export async function takeDueRemoval(db: Queryable, nowMs: number): Promise<FactorRemoval | undefined> {
  const [row] = await db.query<FactorRemoval>(sql`
    delete from _plinth.factor_removals where user_id = (
      select user_id from _plinth.factor_removals where due_at <= ${fromMs(nowMs)}
      order by due_at limit 1 for update skip locked)
    returning ${columns}`);
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
    returning ${columns}`);
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
