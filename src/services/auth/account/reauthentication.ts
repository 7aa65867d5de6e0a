/** Sends and verifies the code that users need to change their password (reauthentication). */

import type { Transaction } from '../../../platform/database/types.ts';
import { isCodeExpired } from '../codes/find-owner.ts';
import { sendTokenMail } from '../codes/mail-tokens.ts';
import { sendPhoneCode } from '../codes/phone-codes.ts';
import { audit } from '../common/audit.ts';
import type { Caller, UserCaller } from '../common/caller.ts';
import { hashMatches } from '../common/pkce.ts';
import type { User } from '../common/rows.ts';
import { tokenHash } from '../common/secrets.ts';
import { claimReauthenticationToken } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { verifySecret } from '../limits/verify-secret.ts';
import { checkByProvider, checksCodes } from '../messages/send-text.ts';
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
    await audit(ctx, tx, user, { action: 'user_reauthenticate_requested' });
    if (email !== '') {
      await sendTokenMail(ctx, tx, caller, { user, kind: 'reauthentication' });
      return undefined;
    }
    return sendPhoneCode(ctx, tx, caller, { user, phone, kind: 'reauthentication', channel: 'sms' });
  });
}

/** A nonce that was entered correctly and that the transaction of the password change must still use up. */
export interface EnteredNonce {
  /** The stored token with which the nonce was compared. */
  readonly token: string;
}

/**
 * Verifies the reauthentication nonce for a password change. Throws `reauthentication_not_valid` if the code is wrong,
 * or `otp_expired` if the SMS provider rejects it. The nonce stays valid until {@link consumeNonce} uses it up.
 */
export async function requireNonce(
  ctx: AuthContext,
  caller: Caller,
  user: User,
  nonce: string,
): Promise<EnteredNonce> {
  const stored = user.reauthentication_token;
  const wasRequested = stored !== null && stored !== '' && user.reauthentication_sent_at !== null;
  if (!wasRequested) throw authError('reauthentication_not_valid');
  const isRight = await verifySecret(
    ctx,
    caller,
    { kind: 'reauthentication_nonce', account: user.id },
    async (consumeToken) =>
      ((await consumeToken(stored)) && (await isNonce(ctx, user, stored, nonce))) || undefined,
  );
  if (!isRight) throw authError('reauthentication_not_valid');
  return { token: stored };
}

/** Uses up a nonce. Throws `reauthentication_not_valid` if a concurrent request has already used it. */
export async function consumeNonce(tx: Transaction, user: User, { token }: EnteredNonce): Promise<void> {
  if (!(await claimReauthenticationToken(tx, user.id, token))) throw authError('reauthentication_not_valid');
}

async function isNonce(ctx: AuthContext, user: User, stored: string, nonce: string): Promise<boolean> {
  const email = user.email ?? '';
  const phone = user.phone ?? '';
  if (email === '' && checksCodes(ctx)) {
    await checkByProvider(ctx, phone, nonce);
    return true;
  }
  const [owner, lifetimeMs] =
    email === '' ? [phone, ctx.settings.phone.otpExpiryMs] : [email, ctx.settings.email.otpExpiryMs];
  return (
    !isCodeExpired(user.reauthentication_sent_at, lifetimeMs, ctx.clock.now()) &&
    hashMatches(tokenHash(owner, nonce), stored)
  );
}
