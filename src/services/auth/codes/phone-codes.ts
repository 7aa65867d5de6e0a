/**
 * Sends codes by text message through the project's hook or provider. If the project has neither, messages are captured
 * in the inbox.
 */
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { renderUser } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { oneTimePassword, tokenHash } from '../common/secrets.ts';
import { fromMs } from '../common/times.ts';
import { updateUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError } from '../errors.ts';
import { runHook } from '../hooks/run.ts';
import { smsText } from '../messages/defaults.ts';
import { sendByProvider } from '../messages/send-text.ts';
import { claimText } from '../messages/sending.ts';
import { renderText } from '../messages/template/render.ts';
import { deleteOneTimeTokens } from './queries.ts';

/** The default of `[auth.sms] template`, which is the same as upstream's default. */
const defaultSmsTemplate = 'Your code is {{ .Code }}';

export type Channel = 'sms' | 'whatsapp';
export type PhoneCodeKind = 'confirmation' | 'phone_change' | 'reauthentication';

const columns = {
  confirmation: { token: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  phone_change: { token: 'phone_change_token', sentAt: 'phone_change_sent_at' },
  reauthentication: { token: 'reauthentication_token', sentAt: 'reauthentication_sent_at' },
} as const;

/** Returns the requested channel. Defaults to sms. Throws `validation_failed`. */
export function parseChannel(ctx: AuthContext, channel: string): Channel {
  const { phone, hooks } = ctx.settings;
  if (channel === '' || channel === 'sms') return 'sms';
  const canWhatsapp = phone.provider === 'twilio' || phone.provider === 'twilio_verify';
  if (channel === 'whatsapp' && canWhatsapp) return 'whatsapp';
  // The returned value doesn't matter, because the hook chooses the channel.
  if (hooks.send_sms.enabled) return 'sms';
  throw authError(
    'validation_failed',
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  );
}

interface PhoneCode {
  readonly user: User;
  readonly phone: string;
  readonly kind: PhoneCodeKind;
  readonly channel: Channel;
}

/**
 * Sends a code. Returns `test-otp` for numbers with a fixed code. For other numbers, returns undefined, because
 * upstream also discards the provider's message ID.
 */
export async function sendPhoneCode(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, ...code }: PhoneCode,
): Promise<string | undefined> {
  const { token, sentAt } = columns[code.kind];
  const now = ctx.clock.now();
  await claimText(ctx, tx, user, sentAt);
  const fixed = ctx.settings.phone.testCodes.get(code.phone);
  const otp = fixed ?? oneTimePassword(ctx.settings.phone.otpLength);
  if (fixed === undefined) {
    requireDelivery(ctx);
    await ctx.limits.sms(now);
    await sendText(ctx, caller, { user, ...code, otp, template: ctx.settings.phone.template }, tx);
  }
  const hash = tokenHash(code.phone, otp);
  const change = code.kind === 'phone_change' ? { phone_change: code.phone } : {};
  await updateUser(tx, user, { ...change, [token]: hash, [sentAt]: fromMs(now) }, now);
  // Upstream also stores the code as a one-time token. Text messages contain no link, and a request with the token's
  // hash could otherwise confirm the user's email address with the code for the phone.
  await deleteOneTimeTokens(tx, user.id, token);
  return fixed === undefined ? undefined : 'test-otp';
}

/**
 * Checks that the code can be delivered. A project with test numbers but without a provider can send codes only to the
 * test numbers. A project with neither test numbers nor a provider captures messages in the inbox.
 */
function requireDelivery(ctx: AuthContext): void {
  const { provider, testCodes } = ctx.settings.phone;
  const canDeliver = provider !== '' || ctx.settings.hooks.send_sms.enabled || testCodes.size === 0;
  if (canDeliver) return;
  throw authError(
    'sms_send_failed',
    'Only the numbers in auth.sms.test_otp can receive a code, because no SMS provider is configured',
  );
}

/**
 * Returns a message's text. Messages for the Account pages use Plinth's default text unless the project has configured
 * a different template.
 */
export function textBody(
  { settings }: AuthContext,
  { pageLanguage }: Pick<Caller, 'pageLanguage'>,
  template: string,
  code: string,
): string {
  if (pageLanguage === undefined || template !== defaultSmsTemplate) {
    return renderText(template, { Code: code });
  }
  const { name } = settings.mail.brand();
  return smsText({ code, name, pageLanguage, pageUrl: settings.accountUrl() });
}

export interface TextToSend {
  readonly user: User;
  readonly phone: string;
  readonly otp: string;
  readonly channel: Channel;
  readonly template: string;
  /** The kind of message, which error texts mention. */
  readonly kind: PhoneCodeKind | 'mfa';
}

/** Sends a text message. Throws `sms_send_failed`, or `unexpected_failure` for factors, as in upstream. */
export async function sendText(
  ctx: AuthContext,
  caller: Caller,
  { user, phone, otp, channel, template, kind }: TextToSend,
  tx?: Transaction,
): Promise<void> {
  if (ctx.settings.hooks.send_sms.enabled) {
    const sms = { otp, ...(kind === 'mfa' ? { sms_type: 'mfa' } : {}), phone };
    const sent = runHook(ctx, caller, { name: 'send_sms', input: { user: renderUser(user), sms }, tx });
    await (kind === 'mfa'
      ? sent.catch((cause) => {
          throw internalError('error invoking hook', cause);
        })
      : sent);
    return;
  }
  try {
    const body = textBody(ctx, caller, template, otp);
    const { provider } = ctx.settings.phone;
    if (provider === '') await ctx.mailer.captureSms({ to: phone, body, channel });
    else await sendByProvider(ctx, provider, { phone, body, code: otp, channel });
  } catch (cause) {
    if (kind === 'mfa') throw internalError('error sending message', cause);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw authError('sms_send_failed', `Error sending ${kind} OTP to provider: ${reason}`, { cause });
  }
}
