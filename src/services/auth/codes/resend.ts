/** Resends the code for a pending confirmation or contact change. */

import type { Transaction } from '../../../platform/database/types.ts';
import { sendEmailChange } from '../account/email-change-mail.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import { contactStatus, parseEmail, parsePhone } from '../common/contact.ts';
import type { Fields } from '../common/fields.ts';
import { type Challenge, parseChallenge } from '../common/pkce.ts';
import type { User } from '../common/rows.ts';
import { findUserByEmail, findUserByPhone } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { insertFlowState } from '../sign-in/flow-states.ts';
import { mailExistingAccount } from '../sign-up/repeated.ts';
import { requireNoSso } from '../sso/enforced.ts';
import { sendTokenMail } from './mail-tokens.ts';
import { sendPhoneCode } from './phone-codes.ts';
import { countUnsentMessage, signUpKind, type UnsentKind } from './unknown-address.ts';

type ResendType = 'signup' | 'email_change' | 'sms' | 'phone_change';

interface ResendRequest {
  readonly type: ResendType;
  readonly email: string;
  readonly phone: string;
  readonly challenge: Challenge | undefined;
}

/**
 * Resends a code. Returns the message ID for the response, which is set only for phone numbers with a fixed code. Also
 * succeeds if no account has the contact.
 */
export async function resend(ctx: AuthContext, caller: Caller, body: Fields): Promise<string | undefined> {
  const request = parseResend(ctx, body);
  if (request.type === 'signup') await requireNoSso(ctx, ctx.pool, request.email);
  const aud = audienceOf(ctx, caller);
  const user =
    request.email !== ''
      ? await findUserByEmail(ctx.pool, request.email, aud)
      : await findUserByPhone(ctx.pool, request.phone, aud);
  const contact = request.email !== '' ? 'email' : 'phone';
  const { hidesAccounts } = ctx.settings[contact];
  if (user && request.type === 'signup' && !isWaiting(user, request.type)) {
    await mailExistingAccount(ctx, caller, user, request.email);
    return undefined;
  }
  if (!user || !isWaiting(user, request.type)) {
    await ctx.backgroundWork.do(hidesAccounts, () =>
      countUnsentMessage(ctx, contact, request[contact], unsentKind(caller, request.type)),
    );
    return undefined;
  }
  let messageId: string | undefined;
  await ctx.backgroundWork.do(hidesAccounts, async () => {
    messageId = await ctx.pool.transaction((tx) => sendAgain(ctx, tx, caller, { user, request }));
  });
  return hidesAccounts ? undefined : messageId;
}

function unsentKind(caller: Caller, type: ResendType): UnsentKind {
  if (type === 'signup') return signUpKind(caller);
  return type === 'sms' ? 'sign-up' : 'change';
}

async function sendAgain(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, request }: { readonly user: User; readonly request: ResendRequest },
): Promise<string | undefined> {
  const { type, phone, challenge } = request;
  const remember = async (providerType: string) => {
    if (!challenge) return;
    const flow = { userId: user.id, providerType, authenticationMethod: providerType, challenge };
    await insertFlowState(tx, flow, ctx.clock.now());
  };
  switch (type) {
    case 'signup':
      await audit(ctx, tx, user, { action: 'user_confirmation_requested' });
      await remember('email/signup');
      await sendTokenMail(ctx, tx, caller, { user, kind: 'signup', isPkce: challenge !== undefined });
      return undefined;
    case 'email_change':
      await remember('email_change');
      await sendEmailChange(ctx, tx, caller, {
        user,
        newEmail: user.email_change ?? '',
        isPkce: challenge !== undefined,
      });
      return undefined;
    case 'sms':
      await audit(ctx, tx, user, { action: 'user_recovery_requested' });
      return sendPhoneCode(ctx, tx, caller, { user, phone, kind: 'confirmation', channel: 'sms' });
    case 'phone_change':
      return sendPhoneCode(ctx, tx, caller, {
        user,
        phone: user.phone_change ?? '',
        kind: 'phone_change',
        channel: 'sms',
      });
  }
}

function parseResend(ctx: AuthContext, body: Fields): ResendRequest {
  const type = body.text('type');
  const email = body.text('email');
  const phone = body.text('phone');
  if (type !== 'signup' && type !== 'email_change' && type !== 'sms' && type !== 'phone_change') {
    throw authError(
      'validation_failed',
      'Missing one of these types: signup, email_change, sms, phone_change',
    );
  }
  const isMail = type === 'signup' || type === 'email_change';
  const challenge = isMail
    ? parseChallenge(body.text('code_challenge'), body.text('code_challenge_method'))
    : undefined;
  if (email === '' && type === 'signup') {
    throw authError('validation_failed', 'Type provided requires an email address');
  }
  if (phone === '' && type === 'sms') {
    throw authError('validation_failed', 'Type provided requires a phone number');
  }
  if (email !== '' && phone !== '') {
    throw authError('validation_failed', 'Only an email address or phone number should be provided.');
  }
  if (email !== '') {
    if (!ctx.settings.email.enabled) throw authError('email_provider_disabled');
    return { type, email: parseEmail(email), phone: '', challenge };
  }
  if (phone === '') throw authError('validation_failed', 'Missing email address or phone number');
  if (!ctx.settings.phone.enabled) throw authError('phone_provider_disabled');
  return { type, email: '', phone: parsePhone(phone), challenge };
}

function isWaiting(user: User, type: ResendType): boolean {
  switch (type) {
    case 'signup':
      return contactStatus(user, 'email') === 'unclaimed';
    case 'sms':
      return contactStatus(user, 'phone') === 'unclaimed';
    case 'email_change':
      return (user.email_change ?? '') !== '';
    case 'phone_change':
      return (user.phone_change ?? '') !== '';
  }
}
