/** The request body for creating or changing a user, and the steps that both have in common. */
import { parseGoDuration } from '../../../base/shared/go-duration.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import { parseEmail, parsePhone } from '../common/contact.ts';
import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { isBanned } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { recordOperatorEvent } from '../security-events/record.ts';

export interface AdminUserRequest {
  readonly id: string;
  readonly aud: string;
  readonly role: string;
  readonly email: string;
  readonly phone: string;
  readonly password: string | undefined;
  readonly passwordHash: string;
  readonly emailConfirm: boolean;
  readonly phoneConfirm: boolean;
  readonly userMetadata: JsonObject | undefined;
  readonly appMetadata: JsonObject | undefined;
  /**
   * The duration of the ban. If the duration is undefined, the ban doesn't change. If it is zero, the ban is lifted.
   */
  readonly banMs: number | undefined;
}

/** Parses the body. @throws {AuthError} validation_failed */
export function parseAdminUserRequest(body: Fields): AdminUserRequest {
  const email = body.text('email');
  const phone = body.text('phone');
  return {
    id: body.text('id'),
    aud: body.text('aud'),
    role: body.text('role'),
    email: email === '' ? '' : parseEmail(email),
    phone: phone === '' ? '' : parsePhone(phone),
    password: body.optionalText('password'),
    passwordHash: body.text('password_hash'),
    emailConfirm: body.flag('email_confirm'),
    phoneConfirm: body.flag('phone_confirm'),
    userMetadata: body.object('user_metadata'),
    appMetadata: body.object('app_metadata'),
    banMs: parseBan(body.text('ban_duration')),
  };
}

function parseBan(text: string): number | undefined {
  if (text === '') return undefined;
  if (text === 'none') return 0;
  const ms = parseGoDuration(text);
  if (ms === undefined) {
    throw authError('validation_failed', `invalid format for ban duration: time: invalid duration "${text}"`);
  }
  return ms;
}

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
