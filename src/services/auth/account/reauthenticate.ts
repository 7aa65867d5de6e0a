/** Sends the code that users need to change their password (reauthentication). */

import { sendTokenMail } from '../codes/mail-tokens.ts';
import { sendPhoneCode } from '../codes/phone-codes.ts';
import { audit } from '../common/audit.ts';
import type { UserCaller } from '../common/caller.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { asUser } from '../sessions/user-transaction.ts';

/**
 * Sends a reauthentication code to the caller. Returns the message ID for the response, which is set only for phone
 * numbers with a fixed code.
 */
export async function reauthenticate(ctx: AuthContext, caller: UserCaller): Promise<string | undefined> {
  const { user } = caller;
  const email = user.email ?? '';
  const phone = user.phone ?? '';
  if (email === '' && phone === '') {
    throw authError(
      'validation_failed',
      'Reauthentication requires the user to have an email or a phone number',
    );
  }
  if (email !== '' && user.email_confirmed_at === null) {
    throw authError('email_not_confirmed', 'Please verify your email first.', { status: 422 });
  }
  if (email === '' && user.phone_confirmed_at === null) {
    throw authError('phone_not_confirmed', 'Please verify your phone first.', { status: 422 });
  }
  return asUser(ctx, caller, async (tx) => {
    await audit(ctx, tx, user, 'user_reauthenticate_requested');
    if (email !== '') {
      await sendTokenMail(ctx, tx, caller, user, 'reauthentication');
      return undefined;
    }
    return sendPhoneCode(ctx, tx, caller, user, { phone, kind: 'reauthentication', channel: 'sms' });
  });
}
