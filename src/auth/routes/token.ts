/** POST /token: sessions for a password, a refresh token or a PKCE code. */

import type { AuthContext } from '../context.ts';
import { barePhone } from '../core/contact.ts';
import { renderSession } from '../core/issued-session.ts';
import type { JsonObject } from '../core/json.ts';
import { authError } from '../errors.ts';
import { redeemFlowCode } from '../flows/flow-codes.ts';
import { signInWithIdToken } from '../flows/id-token-sign-in.ts';
import { signInWithPassword } from '../flows/password-sign-in.ts';
import { refreshSession } from '../flows/refresh-session.ts';
import { signInWithWallet } from '../flows/wallets.ts';
import { requireCaptcha } from '../http/captcha.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Define } from './route.ts';

const grants = new Set(['password', 'refresh_token', 'pkce', 'id_token', 'web3']);

/** Grants whose proof comes from a request that already had a captcha. */
const withoutCaptcha = new Set(['refresh_token', 'pkce', 'id_token']);

export function tokenRoutes(define: Define, ctx: AuthContext): void {
  define('POST', '/token', async (exchange) => {
    const { caller } = exchange;
    const grant = exchange.query.get('grant_type') ?? '';
    if (!withoutCaptcha.has(grant)) await requireCaptcha(ctx, exchange);
    if (!grants.has(grant)) throw authError('invalid_credentials', 'unsupported_grant_type');
    await ctx.limits.address(grant === 'web3' ? 'web3' : 'token', caller.ip, ctx.clock.now());
    switch (grant) {
      case 'password':
        return signIn(ctx, exchange);
      case 'refresh_token':
        return renderSession(await refreshSession(ctx, caller, exchange.body().text('refresh_token')));
      case 'pkce':
        return redeem(ctx, exchange);
      case 'id_token':
        return renderSession(await signInWithIdToken(ctx, caller, exchange.body()));
      default:
        return renderSession(await signInWithWallet(ctx, caller, exchange.body));
    }
  });
}

async function signIn(ctx: AuthContext, { caller, body }: Exchange): Promise<JsonObject> {
  const fields = body();
  const { session, weakness } = await signInWithPassword(ctx, caller, {
    email: fields.text('email'),
    phone: barePhone(fields.text('phone')),
    password: fields.text('password'),
  });
  if (!weakness) return renderSession(session);
  return renderSession(session, {
    weak_password: { message: weakness.message, reasons: [...(weakness.weakPasswordReasons ?? [])] },
  });
}

async function redeem(ctx: AuthContext, { caller, body }: Exchange): Promise<JsonObject> {
  const fields = body();
  const { session, flow } = await redeemFlowCode(ctx, caller, {
    code: fields.text('auth_code'),
    verifier: fields.text('code_verifier'),
  });
  return renderSession(session, {
    ...(flow.provider_access_token ? { provider_token: flow.provider_access_token } : {}),
    ...(flow.provider_refresh_token ? { provider_refresh_token: flow.provider_refresh_token } : {}),
  });
}
