/** Verifies codes sent by GET /reauthenticate. */
import type { Transaction } from '../../../platform/database/types.ts';
import { isCodeExpired } from '../codes/lifetime.ts';
import type { Caller } from '../common/caller.ts';
import { hashMatches } from '../common/pkce.ts';
import type { User } from '../common/rows.ts';
import { tokenHash } from '../common/secrets.ts';
import { claimReauthenticationToken } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { verifySecret } from '../limits/verify-secret.ts';
import { checkByProvider, checksCodes } from '../messages/send-text.ts';

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
    'reauthentication_nonce',
    { account: user.id },
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
