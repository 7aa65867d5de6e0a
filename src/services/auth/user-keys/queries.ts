/** Statements on _plinth.user_api_keys. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs } from '../common/times.ts';

export interface UserKey {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly beginning: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

const columns = sql`id, user_id, name, beginning, scopes, created_at, expires_at, last_used_at`;

/** Lists a user's keys, newest first. Includes expired keys, so that users see why a program has stopped working. */
export function listUserKeys(db: Queryable, userId: string): Promise<UserKey[]> {
  return db.query<UserKey>(sql`
    select ${columns} from _plinth.user_api_keys where user_id = ${userId} order by created_at desc, id`);
}

export async function insertUserKey(
  db: Queryable,
  key: Omit<UserKey, 'created_at' | 'expires_at' | 'last_used_at'> & {
    readonly hash: string;
    readonly expiresAtMs: number;
  },
  nowMs: number,
): Promise<UserKey> {
  const [row] = await db.query<UserKey>(sql`
    insert into _plinth.user_api_keys (id, user_id, name, hash, beginning, scopes, created_at, expires_at)
    values (${key.id}, ${key.user_id}, ${key.name}, ${key.hash}, ${key.beginning}, ${key.scopes}::text[],
            ${fromMs(nowMs)}, ${fromMs(key.expiresAtMs)})
    returning ${columns}`);
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

/** Deletes a key. Returns undefined if the user has no key with this ID. */
export async function deleteUserKey(db: Queryable, userId: string, id: string): Promise<UserKey | undefined> {
  const [row] = await db.query<UserKey>(sql`
    delete from _plinth.user_api_keys where id = ${id} and user_id = ${userId} returning ${columns}`);
  return row;
}

export async function findLiveUserKey(
  db: Queryable,
  hash: string,
  nowMs: number,
): Promise<UserKey | undefined> {
  const [row] = await db.query<UserKey>(sql`
    select ${columns} from _plinth.user_api_keys where hash = ${hash} and expires_at > ${fromMs(nowMs)}`);
  return row;
}

/** Records that a key was used, unless this was recorded recently. */
export async function noteUserKeyUse(
  db: Queryable,
  id: string,
  { nowMs, everyMs }: { readonly nowMs: number; readonly everyMs: number },
): Promise<void> {
  await db.query(sql`
    update _plinth.user_api_keys set last_used_at = ${fromMs(nowMs)}
    where id = ${id} and (last_used_at is null or last_used_at < ${fromMs(nowMs - everyMs)})`);
}
