/** Codes sent to phones: by the project's hook or provider; where there is neither they are captured in the inbox. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { renderUser } from '../core/render-user.ts';
import { oneTimePassword, tokenHash } from '../core/secrets.ts';
import { renderText } from '../core/template/render.ts';
import { type TextMessage, textProviders } from '../core/text-providers.ts';
import { fromMs, toMs } from '../core/times.ts';
import { AuthError, authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { setOneTimeToken } from '../queries/one-time-tokens.ts';
import { updateUser } from '../queries/users.ts';
import { requirePause } from '../rate-limits.ts';
import type { User } from '../rows.ts';
import type { SmsProvider } from '../settings.ts';
import { runHook } from './hooks.ts';

export type Channel = 'sms' | 'whatsapp';
export type PhoneCodeKind = 'confirmation' | 'phone_change' | 'reauthentication';

const columns = {
  confirmation: { token: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  phone_change: { token: 'phone_change_token', sentAt: 'phone_change_sent_at' },
  reauthentication: { token: 'reauthentication_token', sentAt: 'reauthentication_sent_at' },
} as const;

/** Absent means sms. Throws `validation_failed`. */
export function parseChannel(ctx: AuthContext, channel: string): Channel {
  const canWhatsapp =
    ctx.settings.phone.provider === 'twilio' || ctx.settings.phone.provider === 'twilio_verify';
  if (channel === '' || channel === 'sms') return 'sms';
  if (channel === 'whatsapp' && canWhatsapp) return 'whatsapp';
  throw authError(
    'validation_failed',
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  );
}

/** `test-otp` for numbers with a fixed code, else nothing: upstream loses its provider's message id too. */
export async function sendPhoneCode(
  ctx: AuthContext,
  tx: Transaction,
  exchange: Exchange,
  user: User,
  code: { readonly phone: string; readonly kind: PhoneCodeKind; readonly channel: Channel },
): Promise<string | undefined> {
  const { token, sentAt } = columns[code.kind];
  const now = ctx.clock.now();
  const lastMs = user[sentAt] === null ? undefined : toMs(user[sentAt]);
  requirePause(lastMs, ctx.settings.phone.maxFrequencyMs, now, 'over_sms_send_rate_limit');
  const fixed = ctx.settings.phone.testCodes.get(code.phone);
  const otp = fixed ?? oneTimePassword(ctx.settings.phone.otpLength);
  if (fixed === undefined) {
    requireDelivery(ctx);
    await ctx.limits.sms(now);
    await sendText(ctx, exchange, { user, ...code, otp, template: ctx.settings.phone.template }, tx);
  }
  const hash = tokenHash(code.phone, otp);
  const change = code.kind === 'phone_change' ? { phone_change: code.phone } : {};
  await updateUser(tx, user, { ...change, [token]: hash, [sentAt]: fromMs(now) }, now);
  const relatesTo = code.kind === 'phone_change' ? code.phone : (user.phone ?? '');
  await setOneTimeToken(tx, user.id, token, hash, relatesTo);
  return fixed === undefined ? undefined : 'test-otp';
}

/**
 * A project that lists test numbers and names no provider means those numbers only. Without a list, messages are
 * captured.
 */
function requireDelivery(ctx: AuthContext): void {
  const { provider, testCodes } = ctx.settings.phone;
  const canDeliver = provider !== '' || ctx.settings.hooks.send_sms.enabled || testCodes.size === 0;
  if (canDeliver) return;
  throw authError(
    'sms_send_failed',
    'Only the numbers of auth.sms.test_otp can get a code, since no SMS provider is configured',
  );
}

export interface TextToSend {
  readonly user: User;
  readonly phone: string;
  readonly otp: string;
  readonly channel: Channel;
  readonly template: string;
  /** For the message of a failure. */
  readonly kind: PhoneCodeKind | 'mfa';
}

/** Throws `sms_send_failed`. */
export async function sendText(
  ctx: AuthContext,
  exchange: Exchange,
  { user, phone, otp, channel, template, kind }: TextToSend,
  tx?: Transaction,
): Promise<void> {
  if (ctx.settings.hooks.send_sms.enabled) {
    const sms = { otp, ...(kind === 'mfa' ? { sms_type: 'mfa' } : {}), phone };
    await runHook(ctx, 'send_sms', exchange, { user: renderUser(user), sms }, tx);
    return;
  }
  try {
    const body = renderText(template, { Code: otp });
    if (ctx.settings.phone.provider === '') await ctx.mailer.captureSms({ to: phone, body, channel });
    else await sendByProvider(ctx, ctx.settings.phone.provider, { phone, body, channel });
  } catch (cause) {
    if (cause instanceof AuthError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw authError('sms_send_failed', `Error sending ${kind} OTP to provider: ${reason}`, { cause });
  }
}

const providerTimeoutMs = 10_000;

async function sendByProvider(ctx: AuthContext, name: SmsProvider, message: TextMessage): Promise<void> {
  // It makes and checks codes itself, which our codes cannot do.
  if (name === '' || name === 'twilio_verify') throw new Error(`${name} is not supported yet`);
  const provider = textProviders[name];
  const { url, headers, form } = provider.request(ctx.settings.config.sms, message);
  const signal = AbortSignal.timeout(providerTimeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form), signal });
  const answer: unknown = await response.json().catch(() => undefined);
  const fault = provider.fault(response.status, answer);
  if (fault !== undefined) throw new Error(`${name}: ${fault}`);
}
