/**
 * Requires an emailed code when users sign in on new devices with a password, if the project enables this requirement.
 */

import { sendTokenMail } from '../codes/mail-tokens.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import type { User } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { isMailPausing } from '../messages/send-mail.ts';
import { isKnownDevice } from '../security-events/queries.ts';
import { deviceKey } from '../security-events/record.ts';

/**
 * Sends a sign-in code and throws an error, unless the user has signed in on this device before. Signing in with the
 * code proves access to the mailbox, so the device counts as confirmed afterwards.
 * @throws {AuthError} device_not_confirmed, or over_email_send_rate_limit if the project can't send a code
 */
export async function requireConfirmedDevice(ctx: AuthContext, caller: Caller, user: User): Promise<void> {
  if (!ctx.settings.security.confirmsNewDevices || !ctx.hasOwnTables) return;
  if (!user.email || user.email_confirmed_at === null) return;
  if (await isKnownDevice(ctx.pool, user.id, deviceKey(caller))) return;
  // If an email was sent recently, the code in it is still valid, so the user doesn't need another email.
  const hasRecentCode = () => isMailPausing(ctx, user.recovery_sent_at);
  if (!hasRecentCode()) {
    const sent = ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, 'user_recovery_requested');
      await sendTokenMail(ctx, tx, caller, user, 'new_device');
    });
    await sent.catch((error: unknown) => {
      // A concurrent request has sent the code.
      if (!hasRecentCode()) throw error;
    });
  }
  throw authError('device_not_confirmed');
}
