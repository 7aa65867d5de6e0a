/** Statements on _plinth.totp_steps. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

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
