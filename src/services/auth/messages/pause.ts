/**
 * Enforces the pause between two messages of the same kind (`max_frequency`). The time of the last message is stored
 * when the message has been sent. Therefore, concurrent requests must not only read this time, but also exclude each
 * other until the message has been sent and its time is visible (decision 86).
 */
import type { Transaction } from '../../../platform/database/types.ts';
import type { User } from '../common/rows.ts';
import { fromMs, toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { requirePause } from '../limits/rate-limits.ts';
import { claimMessage, findSentAt, type SentColumn } from './queries.ts';

/**
 * Claims the next email of a kind for this transaction. If another request is sending such an email, throws the same
 * error as after the email has been sent. Sets the column of `user` to the time of the last email.
 * @throws {AuthError} over_email_send_rate_limit
 */
export function claimEmail(ctx: AuthContext, tx: Transaction, user: User, column: SentColumn): Promise<void> {
  return claim(ctx, tx, user, {
    column,
    minimumMs: ctx.settings.email.maxFrequencyMs,
    code: 'over_email_send_rate_limit',
  });
}

/** Claims the next text message. Works like {@link claimEmail}. @throws {AuthError} over_sms_send_rate_limit */
export function claimText(ctx: AuthContext, tx: Transaction, user: User, column: SentColumn): Promise<void> {
  return claim(ctx, tx, user, {
    column,
    minimumMs: ctx.settings.phone.maxFrequencyMs,
    code: 'over_sms_send_rate_limit',
  });
}

async function claim(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  rule: {
    readonly column: SentColumn;
    readonly minimumMs: number;
    readonly code: 'over_email_send_rate_limit' | 'over_sms_send_rate_limit';
  },
): Promise<void> {
  const now = ctx.clock.now();
  const { column, minimumMs, code } = rule;
  if (minimumMs <= 0) return;
  // Doesn't wait for the other request, because its message may take long, and waiting requests occupy connections.
  const isOurs = await claimMessage(tx, user.id, column);
  const sentAt = isOurs ? await findSentAt(tx, user.id, column) : fromMs(now);
  user[column] = sentAt;
  requirePause(sentAt === null ? undefined : toMs(sentAt), minimumMs, now, code);
}
