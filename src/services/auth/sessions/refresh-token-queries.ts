/** Statements on auth.refresh_tokens (version 1 tokens). */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { RefreshToken } from '../common/rows.ts';
import { refreshTokenText } from '../common/secrets.ts';
import { fromMs } from '../common/times.ts';

const noInstance = '00000000-0000-0000-0000-000000000000';
const columns = sql`id, token, user_id, parent, session_id, revoked, updated_at`;

export async function findRefreshToken(db: Queryable, token: string): Promise<RefreshToken | undefined> {
  const [row] = await db.query<RefreshToken>(
    sql`select ${columns} from auth.refresh_tokens where token = ${token}`,
  );
  return row;
}

/** Locks a refresh token. Returns undefined if the token doesn't exist or another transaction has locked the row. */
export async function lockRefreshToken(db: Queryable, token: string): Promise<RefreshToken | undefined> {
  const [row] = await db.query<RefreshToken>(
    sql`select ${columns} from auth.refresh_tokens where token = ${token} for update skip locked`,
  );
  return row;
}

/** Returns the session's newest token that hasn't been revoked. */
export async function findActiveToken(db: Queryable, sessionId: string): Promise<RefreshToken | undefined> {
  const [row] = await db.query<RefreshToken>(sql`
    select ${columns} from auth.refresh_tokens
    where session_id = ${sessionId} and revoked is false order by id desc limit 1`);
  return row;
}

/** Inserts a token and returns its text. */
export async function insertRefreshToken(
  db: Queryable,
  token: { readonly userId: string; readonly sessionId: string; readonly parent: string | null },
  nowMs: number,
): Promise<string> {
  const text = refreshTokenText();
  const now = fromMs(nowMs);
  await db.query(sql`
    insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
    values (${noInstance}, ${text}, ${token.userId}, false, ${now}, ${now}, ${token.parent}, ${token.sessionId})`);
  return text;
}

export async function revokeRefreshToken(db: Queryable, id: number, nowMs: number): Promise<void> {
  await db.query(
    sql`update auth.refresh_tokens set revoked = true, updated_at = ${fromMs(nowMs)} where id = ${id}`,
  );
}

/**
 * Whether the session has a newer token without a parent. If so, the token with this ID was issued before the session's
 * level was raised.
 */
export async function isSuperseded(db: Queryable, sessionId: string, id: number): Promise<boolean> {
  const rows = await db.query(sql`
    select from auth.refresh_tokens where session_id = ${sessionId} and parent is null and id > ${id} limit 1`);
  return rows.length > 0;
}

export async function revokeFamily(db: Queryable, sessionId: string, nowMs: number): Promise<void> {
  await db.query(sql`
    update auth.refresh_tokens set revoked = true, updated_at = ${fromMs(nowMs)}
    where session_id = ${sessionId} and revoked = false`);
}

/** Deletes a token that has no session, because it was issued before sessions were introduced. */
export async function deleteRefreshToken(db: Queryable, id: number): Promise<void> {
  await db.query(sql`delete from auth.refresh_tokens where id = ${id}`);
}
