/** Sends text messages through the project's SMS provider. */
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import type { SmsProvider } from '../settings.ts';
import { codeCheck, type ProviderCall, type TextMessage, textProviders } from './text-providers.ts';

/** Sends a text message. Throws the provider's error. */
export async function sendByProvider(
  ctx: AuthContext,
  name: Exclude<SmsProvider, ''>,
  message: TextMessage,
): Promise<void> {
  await call(ctx, textProviders[name], message);
}

/**
 * Whether the provider generates and checks codes itself, as Twilio Verify does. If so, this server doesn't generate
 * codes.
 */
export function checksCodes(ctx: AuthContext): boolean {
  return ctx.settings.phone.provider === 'twilio_verify';
}

/** Checks a code with the SMS provider. Throws `otp_expired` if the provider rejects the code. */
export async function checkByProvider(ctx: AuthContext, phone: string, code: string): Promise<void> {
  try {
    await call(ctx, codeCheck, { phone, code });
  } catch (cause) {
    throw authError('otp_expired', undefined, { cause });
  }
}

async function call<T>(ctx: AuthContext, { request, fault }: ProviderCall<T>, input: T): Promise<void> {
  const { url, headers, form } = request(ctx.settings.sms, input);
  const { status, text } = await ctx.outgoing.send({
    url,
    reach: 'configured',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
  const wrong = fault(status, parse(text));
  if (wrong !== undefined) throw new Error(wrong);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
