/** Deletes the API keys of users. A start loads only this part of `user-keys/`. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

export async function deleteUserKeys(db: Queryable, userId: string): Promise<void> {
  await db.query(sql`delete from _plinth.user_api_keys where user_id = ${userId}`);
}

/** Deletes the keys of users who were deleted with SQL. */
export async function deleteOrphanedUserKeys(db: Queryable): Promise<void> {
  await db.query(sql`
    delete from _plinth.user_api_keys k where not exists (select from auth.users u where u.id = k.user_id)`);
}
