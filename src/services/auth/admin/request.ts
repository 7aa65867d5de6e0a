/** An administrator's request body for creating or changing a user. */
import { parseGoDuration } from '../../../base/shared/go-duration.ts';
import { parseEmail, parsePhone } from '../common/contact.ts';
import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { authError } from '../errors.ts';

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
