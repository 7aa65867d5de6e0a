/** Fixed statements on `_plinth.account_sessions`. */
import type { Queryable } from '../database/types.ts';
import { sql } from '../kernel/sql.ts';

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
    where id = ${id} and expires_at > ${now.toISOString()}::timestamptz`);
  return rows[0];
}

/** Updates a session's row. Returns false if the row has changed since it was read. */
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
