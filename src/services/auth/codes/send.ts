/** Sends codes and links for signing in without a password. */

import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import { contactStatus, isEmail, isPhone, parseEmail, parsePhone } from '../common/contact.ts';
import type { Fields, ReadFields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { type Challenge, parseChallenge } from '../common/pkce.ts';
import { randomPassword } from '../common/secrets.ts';
import { findUserByEmail, findUserByPhone } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { insertFlowState } from '../sign-in/flow-states.ts';
import { nothing, resetUnclaimed } from '../sign-up/reset-unclaimed.ts';
import { signUp } from '../sign-up/sign-up.ts';
import { requireNoSso } from '../sso/enforced.ts';
import { sendTokenMail } from './mail-tokens.ts';
import { type Channel, parseChannel, sendPhoneCode } from './phone-codes.ts';
import { countUnsentMessage, mailUnknownAddress } from './unknown-address.ts';

/**
 * Sends a sign-in code to an email address or phone number. Returns the message ID for the response, which is set only
 * for phone numbers with a fixed code.
 */
export async function sendOtp(ctx: AuthContext, caller: Caller, body: Fields): Promise<string | undefined> {
  const email = body.text('email');
  const phone = body.text('phone');
  const aud = audienceOf(ctx, caller);
  const data = body.object('data') ?? {};
  if (email !== '' && phone !== '') {
    throw authError('validation_failed', 'Only an email address or phone number should be provided');
  }
  if (email !== '' && body.text('channel') !== '') {
    throw authError('validation_failed', 'Channel should only be specified with Phone OTP');
  }
  const codeChallenge = body.text('code_challenge');
  const codeChallengeMethod = body.text('code_challenge_method');
  parseChallenge(codeChallenge, codeChallengeMethod);
  const createUser = body.flag('create_user', true);
  if (email !== '') {
    await sendMagicLink(ctx, caller, { email, data, codeChallenge, codeChallengeMethod, createUser, aud });
    return undefined;
  }
  if (phone === '') throw authError('validation_failed', 'One of email or phone must be set');
  return sendPhoneOtp(ctx, caller, { phone, channel: body.text('channel'), data, createUser, aud });
}

interface MagicLinkRequest {
  readonly email: string;
  readonly data: JsonObject;
  readonly codeChallenge: string;
  readonly codeChallengeMethod: string;
  /**
   * Whether to create a user if no user has the address. If false, no code is sent to an address that doesn't belong to
   * a user.
   */
  readonly createUser: boolean;
  readonly aud: string;
}

/**
 * Emails a sign-in link. If no account has the address, signs the user up. For a sign-up, the confirmation email
 * contains the link.
 */
export async function sendMagicLink(
  ctx: AuthContext,
  caller: Caller,
  request: MagicLinkRequest,
): Promise<void> {
  if (!ctx.settings.email.enabled) throw authError('email_provider_disabled', undefined, { status: 422 });
  const { hidesAccounts } = ctx.settings.email;
  if (!hidesAccounts && !request.createUser && !isEmail(request.email)) throw authError('otp_disabled');
  if (request.email === '') {
    throw authError('validation_failed', 'Password recovery requires an email', { status: 422 });
  }
  const email = parseEmail(request.email);
  const challenge = parseChallenge(request.codeChallenge, request.codeChallengeMethod);
  await requireNoSso(ctx, ctx.pool, email);
  await ctx.backgroundWork.do(hidesAccounts, () => mailLink(ctx, caller, { ...request, email }, challenge));
}

async function mailLink(
  ctx: AuthContext,
  caller: Caller,
  request: MagicLinkRequest,
  challenge: Challenge | undefined,
): Promise<void> {
  const { email } = request;
  const known = await findUserByEmail(ctx.pool, email, request.aud);
  const status = known && contactStatus(known, 'email');
  const password = randomPassword(
    ctx.settings.password.requiredSets,
    Math.max(33, ctx.settings.password.minLength),
  );
  if (!known && !request.createUser) {
    // The Account pages show the same page for every address, and the email explains that there isn't an account.
    const isHidden = ctx.settings.email.hidesAccounts || caller.pageLanguage !== undefined;
    await rejectUnknown(ctx, password, isHidden);
    return mailUnknownAddress(ctx, caller, email);
  }
  if (status === 'closed') {
    await workAsForNew(ctx, password);
    return countUnsentMessage(ctx, 'email', email);
  }
  if (status === 'confirmed' || (known && ctx.settings.email.autoconfirm)) {
    await workAsForNew(ctx, password);
  } else {
    await signUp(ctx, caller, { ...request, password, byCode: true, phone: '', channel: '' }).catch(
      passIfKnownMeanwhile,
    );
    if (!ctx.settings.email.autoconfirm) return;
  }
  const user = known ?? (await findUserByEmail(ctx.pool, email, request.aud));
  if (!user) throw internalError('Database error finding user');
  if (challenge) {
    const flow = { userId: user.id, providerType: 'magiclink', authenticationMethod: 'magiclink', challenge };
    await insertFlowState(ctx.pool, flow, ctx.clock.now());
  }
  await ctx.pool.transaction(async (tx) => {
    await audit(ctx, tx, user, { action: 'user_recovery_requested' });
    await sendTokenMail(ctx, tx, caller, { user, kind: 'magiclink', isPkce: challenge !== undefined });
  });
}

/**
 * Takes as long as hashing a password, which is the slowest part of a sign-up. Therefore, the response time doesn't
 * reveal whether an account exists.
 */
async function workAsForNew(ctx: AuthContext, password: string): Promise<void> {
  if (ctx.settings.signupEnabled) await ctx.passwords.pretendToVerify(password);
}

/** Ignores the error that occurs if another request has created and confirmed the account since the lookup. */
function passIfKnownMeanwhile(error: unknown): void {
  if (!(error instanceof AuthError && error.code === 'user_already_exists')) throw error;
}

async function rejectUnknown(ctx: AuthContext, password: string, isHidden: boolean): Promise<void> {
  if (!isHidden) throw authError('otp_disabled');
  await workAsForNew(ctx, password);
}

interface PhoneOtpRequest {
  readonly phone: string;
  readonly channel: string;
  readonly data: JsonObject;
  readonly createUser: boolean;
  readonly aud: string;
}

/**
 * Sends a sign-in code to a phone number. Returns the message ID for the response, which is set only for numbers with a
 * fixed code.
 */
async function sendPhoneOtp(
  ctx: AuthContext,
  caller: Caller,
  request: PhoneOtpRequest,
): Promise<string | undefined> {
  const { enabled, hidesAccounts } = ctx.settings.phone;
  if (!enabled) throw authError('phone_provider_disabled', 'Unsupported phone provider');
  if (!hidesAccounts && !request.createUser && !isPhone(request.phone)) throw authError('otp_disabled');
  const phone = parsePhone(request.phone);
  const channel = parseChannel(ctx, request.channel);
  let messageId: string | undefined;
  await ctx.backgroundWork.do(hidesAccounts, async () => {
    messageId = await textCode(ctx, caller, { ...request, phone }, channel);
  });
  return hidesAccounts ? undefined : messageId;
}

async function textCode(
  ctx: AuthContext,
  caller: Caller,
  request: PhoneOtpRequest,
  channel: Channel,
): Promise<string | undefined> {
  const { phone } = request;
  const known = await findUserByPhone(ctx.pool, phone, request.aud);
  const status = known && contactStatus(known, 'phone');
  const password = randomPassword(
    ctx.settings.password.requiredSets,
    Math.max(64, ctx.settings.password.minLength),
  );
  if (!known && !request.createUser) {
    await rejectUnknown(ctx, password, ctx.settings.phone.hidesAccounts);
    await countUnsentMessage(ctx, 'phone', phone);
    return undefined;
  }
  if (status === 'closed') {
    await workAsForNew(ctx, password);
    await countUnsentMessage(ctx, 'phone', phone);
    return undefined;
  }
  if (status === 'confirmed' || (known && ctx.settings.phone.autoconfirm)) {
    await workAsForNew(ctx, password);
  } else {
    await signUp(ctx, caller, {
      ...request,
      password,
      byCode: true,
      email: '',
      codeChallenge: '',
      codeChallengeMethod: '',
    }).catch(passIfKnownMeanwhile);
    if (!ctx.settings.phone.autoconfirm) return undefined;
  }
  const user = known ?? (await findUserByPhone(ctx.pool, phone, request.aud));
  if (!user) throw internalError('Database error finding user');
  return ctx.pool.transaction(async (tx) => {
    await audit(ctx, tx, user, { action: 'user_recovery_requested', traits: { channel } });
    if (status === 'unclaimed') await resetUnclaimed(ctx, tx, user, { contact: 'phone', ...nothing });
    return sendPhoneCode(ctx, tx, caller, { user, phone, kind: 'confirmation', channel });
  });
}

/**
 * Sends a recovery code and link. The response is the same for addresses that belong to no account.
 * @throws {AuthError} validation_failed
 */
export async function recover(ctx: AuthContext, caller: Caller, body: ReadFields): Promise<void> {
  if (!ctx.settings.email.enabled) throw authError('email_provider_disabled');
  const fields = body();
  if (fields.text('email') === '')
    throw authError('validation_failed', 'Password recovery requires an email');
  const email = parseEmail(fields.text('email'));
  const challenge = parseChallenge(fields.text('code_challenge'), fields.text('code_challenge_method'));
  await requireNoSso(ctx, ctx.pool, email);
  const user = await findUserByEmail(ctx.pool, email, audienceOf(ctx, caller));
  await ctx.backgroundWork.do(ctx.settings.email.hidesAccounts, async () => {
    if (!user) return mailUnknownAddress(ctx, caller, email);
    if (contactStatus(user, 'email') === 'closed') return countUnsentMessage(ctx, 'email', email);
    if (challenge) {
      const flow = { userId: user.id, providerType: 'recovery', authenticationMethod: 'recovery', challenge };
      await insertFlowState(ctx.pool, flow, ctx.clock.now());
    }
    await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, { action: 'user_recovery_requested' });
      await sendTokenMail(ctx, tx, caller, { user, kind: 'recovery', isPkce: challenge !== undefined });
    });
  });
}
