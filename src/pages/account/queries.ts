/** The fixed SQL statements on `_plinth.account_sessions` and `_plinth.account_waiting_windows`. */

import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';

export interface SessionRow {
  readonly sealed: Buffer;
  readonly version: number;
}

export interface NewSessionRow {
  readonly id: Buffer;
  readonly userId: string;
  readonly sealed: Buffer;
  readonly expiresAt: Date;
}

export async function insertSession(db: Queryable, row: NewSessionRow): Promise<void> {
  await db.query(sql`
    insert into _plinth.account_sessions (id, user_id, sealed, expires_at)
    values (${row.id}, ${row.userId}, ${row.sealed}, ${row.expiresAt.toISOString()}::timestamptz)`);
}

export async function findSession(db: Queryable, id: Buffer, now: Date): Promise<SessionRow | undefined> {
  const rows = await db.query<SessionRow>(sql`
    select sealed, version from _plinth.account_sessions
    where id = ${id} and ended is null and expires_at > ${now.toISOString()}::timestamptz`);
  return rows[0];
}

/** Removes the tokens of a session that the auth service has ended, and stores the reason. */
export async function endSession(db: Queryable, id: Buffer, reason: string): Promise<void> {
  await db.query(sql`
    update _plinth.account_sessions set sealed = ''::bytea, ended = ${reason} where id = ${id} and ended is null`);
}

/** Returns the reason why the auth service ended the session. Returns undefined if the session hasn't ended. */
export async function findEnding(db: Queryable, id: Buffer, now: Date): Promise<string | undefined> {
  const rows = await db.query<{ readonly ended: string | null }>(sql`
    select ended from _plinth.account_sessions where id = ${id} and expires_at > ${now.toISOString()}::timestamptz`);
  return rows[0]?.ended ?? undefined;
}

/** Updates a session's row. Returns false if the row has changed since the caller read it. */
export async function updateSession(
  db: Queryable,
  id: Buffer,
  change: { readonly sealed: Buffer; readonly expiresAt: Date; readonly version: number; readonly now: Date },
): Promise<boolean> {
  const rows = await db.query(sql`
    update _plinth.account_sessions
    set sealed = ${change.sealed}, version = version + 1, updated_at = ${change.now.toISOString()}::timestamptz,
      expires_at = ${change.expiresAt.toISOString()}::timestamptz
    where id = ${id} and version = ${change.version}
    returning version`);
  return rows.length === 1;
}

export async function deleteSession(db: Queryable, id: Buffer): Promise<void> {
  await db.query(sql`delete from _plinth.account_sessions where id = ${id}`);
}

export async function deleteExpiredSessions(db: Queryable, now: Date): Promise<void> {
  await db.query(sql`
    delete from _plinth.account_sessions where expires_at <= ${now.toISOString()}::timestamptz`);
}

export interface WaitingWindowRow {
  readonly number: number;
  readonly attempts: number;
  readonly user_agent: string;
  readonly state: 'waiting' | 'confirmed' | 'canceled';
  readonly link: string | null;
  readonly link_type: string | null;
}

/** Stores a waiting window. If the window is already waiting, its number doesn't change. */
export async function storeWaitingWindow(
  db: Queryable,
  row: {
    readonly id: Buffer;
    readonly number: number;
    readonly userAgent: string;
    readonly expiresAt: Date;
    readonly now: Date;
  },
): Promise<number> {
  const rows = await db.query<{ number: number }>(sql`
    insert into _plinth.account_waiting_windows as w (id, number, user_agent, created_at, expires_at)
    values (${row.id}, ${row.number}, ${row.userAgent}, ${row.now.toISOString()}::timestamptz,
      ${row.expiresAt.toISOString()}::timestamptz)
    on conflict (id) do update
    set number = case when w.state = 'waiting' and w.expires_at > excluded.created_at then w.number
          else excluded.number end,
      attempts = case when w.state = 'waiting' and w.expires_at > excluded.created_at then w.attempts else 0 end,
      state = 'waiting', link = null, link_type = null,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    returning number`);
  return (rows[0] as { number: number }).number;
}

export async function findWaitingWindow(
  db: Queryable,
  id: Buffer,
  now: Date,
): Promise<WaitingWindowRow | undefined> {
  const rows = await db.query<WaitingWindowRow>(sql`
    select number, attempts, user_agent, state, link, link_type from _plinth.account_waiting_windows
    where id = ${id} and expires_at > ${now.toISOString()}::timestamptz`);
  return rows[0];
}

/**
 * Counts an attempt to enter the number that the waiting window shows. Returns undefined if the window isn't waiting,
 * or if no attempts are left for it.
 */
export async function countAttempt(
  db: Queryable,
  id: Buffer,
  maxAttempts: number,
  now: Date,
): Promise<WaitingWindowRow | undefined> {
  const rows = await db.query<WaitingWindowRow>(sql`
    update _plinth.account_waiting_windows set attempts = attempts + 1
    where id = ${id} and state = 'waiting' and attempts < ${maxAttempts}
      and expires_at > ${now.toISOString()}::timestamptz
    returning number, attempts, user_agent, state, link, link_type`);
  return rows[0];
}

export async function cancelWaitingWindow(db: Queryable, id: Buffer): Promise<void> {
  await db.query(sql`
    update _plinth.account_waiting_windows set state = 'canceled' where id = ${id} and state = 'waiting'`);
}

export async function confirmWaitingWindow(
  db: Queryable,
  id: Buffer,
  { link, type }: { readonly link: string; readonly type: string },
): Promise<void> {
  await db.query(sql`
    update _plinth.account_waiting_windows set state = 'confirmed', link = ${link}, link_type = ${type}
    where id = ${id} and state = 'waiting'`);
}

/**
 * Deletes a window whose link was confirmed and returns its row. If several callers run concurrently, only one of them
 * receives the row.
 */
export async function takeConfirmedWindow(
  db: Queryable,
  id: Buffer,
  now: Date,
): Promise<{ link: string; link_type: string } | undefined> {
  const rows = await db.query<{ link: string; link_type: string }>(sql`
    delete from _plinth.account_waiting_windows
    where id = ${id} and state = 'confirmed' and expires_at > ${now.toISOString()}::timestamptz
    returning link, link_type`);
  return rows[0];
}

export async function deleteWaitingWindow(db: Queryable, id: Buffer): Promise<void> {
  await db.query(sql`delete from _plinth.account_waiting_windows where id = ${id}`);
}

export async function deleteExpiredWindows(db: Queryable, now: Date): Promise<void> {
  await db.query(sql`
    delete from _plinth.account_waiting_windows where expires_at <= ${now.toISOString()}::timestamptz`);
}
