/** Defines steps that several of the changes by administrators have in common. */
import type { Transaction } from '../../../platform/database/types.ts';
import type { JsonObject } from '../common/json.ts';
import { isBanned } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { recordOperatorEvent } from '../security-events/record.ts';

/** Bans a user for a duration and records the ban in the user's timeline. A duration of zero lifts the ban. */
export async function ban(ctx: AuthContext, tx: Transaction, user: User, banMs: number): Promise<void> {
  const now = ctx.clock.now();
  const wasBanned = isBanned(user, now);
  await updateUser(tx, user, { banned_until: banMs === 0 ? null : fromMs(now + banMs) }, now);
  if (banMs !== 0) await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'banned' });
  else if (wasBanned) await recordOperatorEvent(ctx, tx, { userId: user.id, kind: 'unbanned' });
}

export function userTraits(user: User): JsonObject {
  return { user_id: user.id, user_email: user.email ?? '', user_phone: user.phone ?? '' };
}

/** Returns the database error that caused the given error, because older clients expect the database error. */
export function originOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
