/** POST /otp, /magiclink, /recover, /resend: codes and links on request. Answers do not tell who has an account. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { parseEmail, parsePhone } from '../core/contact.ts';
import type { JsonObject } from '../core/json.ts';
import { type Challenge, parseChallenge } from '../core/pkce.ts';
import { standingOf } from '../core/standing.ts';
import { authError } from '../errors.ts';
import { audit } from '../flows/audit.ts';
import { sendEmailChange, sendTokenMail } from '../flows/mail-tokens.ts';
import { sendPhoneCode } from '../flows/phone-codes.ts';
import { sendMagicLink, sendPhoneOtp } from '../flows/send-codes.ts';
import { audienceOf, type Exchange } from '../http/exchange.ts';
import { insertFlowState } from '../queries/flow-states.ts';
import { findUserByEmail, findUserByPhone } from '../queries/users.ts';
import type { User } from '../rows.ts';
import type { Define, Handler } from './route.ts';

export function codeRoutes(define: Define, ctx: AuthContext): void {
  define('POST', '/otp', (exchange) => sendOtp(ctx, exchange), { limit: 'otp', captcha: true });

  const magicLink: Handler = async (exchange) => {
    const body = exchange.body();
    await sendMagicLink(ctx, exchange, {
      email: body.text('email'),
      data: body.object('data') ?? {},
      codeChallenge: body.text('code_challenge'),
      codeChallengeMethod: body.text('code_challenge_method'),
      createUser: true,
      aud: audienceOf(ctx, exchange),
    });
    return {};
  };
  define('POST', '/magiclink', magicLink, { limit: 'magiclink', captcha: true });

  const recoverAccount: Handler = async (exchange) => {
    await recover(ctx, exchange);
    return {};
  };
  define('POST', '/recover', recoverAccount, { limit: 'recover', captcha: true });

  const resendMessage: Handler = async (exchange) => withMessageId(await resend(ctx, exchange));
  define('POST', '/resend', resendMessage, { limit: 'resend', captcha: true });
}

async function sendOtp(ctx: AuthContext, exchange: Exchange): Promise<JsonObject> {
  const body = exchange.body();
  const email = body.text('email');
  const phone = body.text('phone');
  const aud = audienceOf(ctx, exchange);
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
    await sendMagicLink(ctx, exchange, { email, data, codeChallenge, codeChallengeMethod, createUser, aud });
    return {};
  }
  if (phone === '') throw authError('validation_failed', 'One of email or phone must be set');
  return withMessageId(
    await sendPhoneOtp(ctx, exchange, { phone, channel: body.text('channel'), data, createUser, aud }),
  );
}

function withMessageId(messageId: string | undefined): JsonObject {
  return messageId === undefined ? {} : { message_id: messageId };
}

async function recover(ctx: AuthContext, exchange: Exchange): Promise<void> {
  if (!ctx.settings.email.enabled) throw authError('email_provider_disabled');
  const body = exchange.body();
  if (body.text('email') === '') throw authError('validation_failed', 'Password recovery requires an email');
  const email = parseEmail(body.text('email'));
  const challenge = parseChallenge(body.text('code_challenge'), body.text('code_challenge_method'));
  const user = await findUserByEmail(ctx.pool, email, audienceOf(ctx, exchange));
  if (!user || standingOf(user, 'email') === 'closed') return;
  await ctx.afterwards.do(ctx.settings.email.hidesAccounts, async () => {
    if (challenge) {
      const flow = { userId: user.id, providerType: 'recovery', authenticationMethod: 'recovery', challenge };
      await insertFlowState(ctx.pool, flow, ctx.clock.now());
    }
    await ctx.pool.transaction(async (tx) => {
      await audit(ctx, tx, user, 'user_recovery_requested');
      await sendTokenMail(ctx, tx, exchange, user, 'recovery', challenge !== undefined);
    });
  });
}

type ResendType = 'signup' | 'email_change' | 'sms' | 'phone_change';

interface ResendRequest {
  readonly type: ResendType;
  readonly email: string;
  readonly phone: string;
  readonly challenge: Challenge | undefined;
}

async function resend(ctx: AuthContext, exchange: Exchange): Promise<string | undefined> {
  const request = parseResend(ctx, exchange);
  const aud = audienceOf(ctx, exchange);
  const user =
    request.email !== ''
      ? await findUserByEmail(ctx.pool, request.email, aud)
      : await findUserByPhone(ctx.pool, request.phone, aud);
  if (!user || !isWaiting(user, request.type)) return undefined;
  let messageId: string | undefined;
  const { hidesAccounts } = request.email !== '' ? ctx.settings.email : ctx.settings.phone;
  await ctx.afterwards.do(hidesAccounts, async () => {
    messageId = await ctx.pool.transaction((tx) => sendAgain(ctx, tx, exchange, user, request));
  });
  return hidesAccounts ? undefined : messageId;
}

async function sendAgain(
  ctx: AuthContext,
  tx: Transaction,
  exchange: Exchange,
  user: User,
  { type, phone, challenge }: ResendRequest,
): Promise<string | undefined> {
  const remember = async (providerType: string) => {
    if (!challenge) return;
    const flow = { userId: user.id, providerType, authenticationMethod: providerType, challenge };
    await insertFlowState(tx, flow, ctx.clock.now());
  };
  switch (type) {
    case 'signup':
      await audit(ctx, tx, user, 'user_confirmation_requested');
      await remember('email/signup');
      await sendTokenMail(ctx, tx, exchange, user, 'signup', challenge !== undefined);
      return undefined;
    case 'email_change':
      await remember('email_change');
      await sendEmailChange(ctx, tx, exchange, user, user.email_change ?? '', challenge !== undefined);
      return undefined;
    case 'sms':
      await audit(ctx, tx, user, 'user_recovery_requested');
      return sendPhoneCode(ctx, tx, exchange, user, { phone, kind: 'confirmation', channel: 'sms' });
    case 'phone_change':
      return sendPhoneCode(ctx, tx, exchange, user, {
        phone: user.phone_change ?? '',
        kind: 'phone_change',
        channel: 'sms',
      });
  }
}

function parseResend(ctx: AuthContext, exchange: Exchange): ResendRequest {
  const body = exchange.body();
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
      return standingOf(user, 'email') === 'unclaimed';
    case 'sms':
      return standingOf(user, 'phone') === 'unclaimed';
    case 'email_change':
      return (user.email_change ?? '') !== '';
    case 'phone_change':
      return (user.phone_change ?? '') !== '';
  }
}
