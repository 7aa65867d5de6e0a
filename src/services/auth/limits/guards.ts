/** Defines guards of operations: the rate limit per IP address, and captchas. */
import type { Caller } from '../common/caller.ts';
import { isJsonObject } from '../common/json.ts';
import type { Call, Guard } from '../common/operation.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { requireAdmin } from '../sessions/authenticate.ts';
import type { LimitedHandler } from './rules.ts';

/**
 * Returns a guard that throws `over_request_rate_limit` if requests from the client's IP address exceed the handler's
 * limit.
 */
export const limitByAddress =
  (handler: LimitedHandler): Guard =>
  (ctx, { caller }) =>
    ctx.limits.address(handler, caller.ip, ctx.clock.now());

/**
 * The captcha providers. Both accept a form with `secret`, `response` and `remoteip`, and return
 * `{success, "error-codes"}`. See https://docs.hcaptcha.com/#verify-the-user-response-server-side and
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
const addresses = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
} as const;

/**
 * Verifies the captcha, unless captchas are disabled or the caller is an administrator.
 * @throws {AuthError} captcha_failed, bad_json, or unexpected_failure if the provider can't be reached
 */
export async function requireCaptcha(ctx: AuthContext, { caller, body }: Call): Promise<void> {
  const { enabled, provider = 'hcaptcha', secret = '' } = ctx.settings.config.captcha;
  if (!enabled || (await isAdmin(ctx, caller))) return;
  const token = body().object('gotrue_meta_security')?.captcha_token;
  const response = typeof token === 'string' ? token.trim() : '';
  if (response === '') {
    throw authError('captcha_failed', 'captcha protection: request disallowed (no captcha_token found)');
  }
  const form = { secret: secret.trim(), response, remoteip: caller.ip };
  const result = await requestVerification(ctx, addresses[provider], form);
  if (result.success === true) return;
  const codes: unknown[] = Array.isArray(result['error-codes']) ? result['error-codes'] : [];
  throw authError('captcha_failed', `captcha protection: request disallowed (${codes.join(', ')})`);
}

async function isAdmin(ctx: AuthContext, caller: Caller): Promise<boolean> {
  try {
    await requireAdmin(ctx, caller);
    return true;
  } catch (error) {
    if (error instanceof AuthError) return false;
    throw error;
  }
}

async function requestVerification(
  ctx: AuthContext,
  url: string,
  form: Record<string, string>,
): Promise<Record<string, unknown>> {
  try {
    const { text } = await ctx.outgoing.send({
      url,
      reach: 'configured',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    const response: unknown = JSON.parse(text);
    if (!isJsonObject(response)) throw new Error("the response isn't a JSON object");
    return response;
  } catch (cause) {
    throw internalError('captcha verification process failed', cause);
  }
}
