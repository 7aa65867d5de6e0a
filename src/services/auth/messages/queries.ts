/** Statements for the pauses between messages to a user. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Transaction } from '../../../platform/database/types.ts';

export type SentColumn =
  | 'confirmation_sent_at'
  | 'recovery_sent_at'
  | 'reauthentication_sent_at'
  | 'email_change_sent_at'
  | 'phone_change_sent_at';

/**
 * Claims the next message until the transaction ends. Returns false if another transaction has claimed it. Uses an
 * advisory lock, because the user's row may be locked for other reasons.
 */
export async function claimMessage(tx: Transaction, userId: string, column: SentColumn): Promise<boolean> {
  const [row] = await tx.query<{ is_claimed: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${`plinth auth ${column} ${userId}`}, 0)) as is_claimed`);
  return row?.is_claimed === true;
}

/** Returns the time of the last message. Must be called after {@link claimMessage}, which takes effect before it. */
export async function findSentAt(
  tx: Transaction,
  userId: string,
  column: SentColumn,
): Promise<string | null> {
  const [row] = await tx.query<{ sent_at: string | null }>(
    sql`select ${sql.id(column)} as sent_at from auth.users where id = ${userId}`,
  );
  return row?.sent_at ?? null;
}
