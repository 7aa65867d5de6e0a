/** Implements steps that several changes by administrators share. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { fromMs } from '../core/times.ts';
import { updateUser } from '../queries/users.ts';
import type { User } from '../rows.ts';

/** Bans a user for a duration. A duration of zero lifts the ban. */
export async function ban(ctx: AuthContext, tx: Transaction, user: User, banMs: number): Promise<void> {
  const now = ctx.clock.now();
  await updateUser(tx, user, { banned_until: banMs === 0 ? null : fromMs(now + banMs) }, now);
}

export function userTraits(user: User): JsonObject {
  return { user_id: user.id, user_email: user.email ?? '', user_phone: user.phone ?? '' };
}

/** Returns the error that the database reported, because older clients expect this error. */
export function originOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
