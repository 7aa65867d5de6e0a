/**
 * POST /otp, /magiclink, /recover, /resend: codes and links on request. Responses don't reveal whether an account
 * exists.
 */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { audienceOf } from '../flows/audience.ts';
import { recover } from '../flows/recover.ts';
import { resend } from '../flows/resend.ts';
import { sendMagicLink, sendOtp } from '../flows/send-codes.ts';
import type { Define, Handler } from './route.ts';

export function codeRoutes(define: Define, ctx: AuthContext): void {
  const sendCode: Handler = async ({ caller, body }) => withMessageId(await sendOtp(ctx, caller, body()));
  define('POST', '/otp', sendCode, { limit: 'otp', captcha: true });

  const magicLink: Handler = async ({ caller, body }) => {
    const fields = body();
    await sendMagicLink(ctx, caller, {
      email: fields.text('email'),
      data: fields.object('data') ?? {},
      codeChallenge: fields.text('code_challenge'),
      codeChallengeMethod: fields.text('code_challenge_method'),
      createUser: true,
      aud: audienceOf(ctx, caller),
    });
    return {};
  };
  define('POST', '/magiclink', magicLink, { limit: 'magiclink', captcha: true });

  const recoverAccount: Handler = async ({ caller, body }) => {
    await recover(ctx, caller, body);
    return {};
  };
  define('POST', '/recover', recoverAccount, { limit: 'recover', captcha: true });

  const resendCode: Handler = async ({ caller, body }) => withMessageId(await resend(ctx, caller, body()));
  define('POST', '/resend', resendCode, { limit: 'resend', captcha: true });
}

function withMessageId(messageId: string | undefined): JsonObject {
  return messageId === undefined ? {} : { message_id: messageId };
}
