/** GET and POST /verify: links, and typed codes. */

import type { AuthContext } from '../context.ts';
import { renderSession } from '../core/issued-session.ts';
import { authError } from '../errors.ts';
import { parseVerifyRequest, singleConfirmationAccepted } from '../flows/verify.ts';
import { followLink, verifyCode } from '../flows/verify-sign-in.ts';
import type { Define, Handler } from './route.ts';

export function verifyRoutes(define: Define, ctx: AuthContext): void {
  const verifyBody: Handler = async (exchange) => {
    const { caller } = exchange;
    const body = exchange.body();
    const request = parseVerifyRequest({
      type: body.text('type'),
      token: body.text('token'),
      tokenHash: body.text('token_hash'),
      email: body.text('email'),
      phone: body.text('phone'),
      redirectTo: body.text('redirect_to'),
    });
    const session = await verifyCode(ctx, caller, request);
    return session ? renderSession(session) : { msg: singleConfirmationAccepted, code: '200' };
  };
  define('POST', '/verify', verifyBody, { limit: 'verify' });

  const verifyLink: Handler = async (exchange) => {
    const type = exchange.query.get('type') ?? '';
    const hash = exchange.query.get('token') ?? '';
    if (type === '') throw authError('validation_failed', 'Verify requires a verification type');
    if (hash === '') throw authError('validation_failed', 'Verify requires a token or a token hash');
    const target = await followLink(ctx, exchange.caller, { type, hash, typed: undefined });
    return exchange.reply.redirect(target, 303);
  };
  define('GET', '/verify', verifyLink, { limit: 'verify' });
}
