/**
 * Declares POST /otp, /magiclink, /recover and /resend, which send codes and links. The responses don't reveal whether
 * an account exists.
 */
import type { JsonObject } from '../common/json.ts';
import type { Router } from '../http/route.ts';
import { recoverAccount, resendCode, sendCode, sendLink } from './operations.ts';

export function codeRoutes({ serve }: Router): void {
  serve('POST', '/otp', sendCode, withMessageId);
  serve('POST', '/magiclink', sendLink, () => ({}));
  serve('POST', '/recover', recoverAccount, () => ({}));
  serve('POST', '/resend', resendCode, withMessageId);
}

function withMessageId(messageId: string | undefined): JsonObject {
  return messageId === undefined ? {} : { message_id: messageId };
}
