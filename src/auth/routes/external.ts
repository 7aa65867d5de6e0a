/** GET /authorize and GET /user/identities/authorize: the browser is sent to a provider. */
import type { AuthContext } from '../context.ts';
import { passedParams } from '../core/oauth-client.ts';
import { parseChallenge } from '../core/pkce.ts';
import { AuthError, authError } from '../errors.ts';
import { findInvited } from '../flows/external-links.ts';
import { findProvider, unsupportedProvider } from '../flows/external-providers.ts';
import { beginSignIn } from '../flows/external-sign-in.ts';
import { requireUsedFactor } from '../flows/own-account.ts';
import { requireUser } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Define } from './route.ts';

/** Our own pages as a provider, so that stock clients reach them by signInWithOAuth; named as custom ones are. */
export const accountProvider = 'custom:account';

export function externalRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/authorize', async (exchange) => {
    const { query, reply } = exchange;
    if (query.get('provider') === accountProvider) return reply.redirect(accountAddress(ctx, query), 302);
    return reply.redirect(await providerAddress(ctx, exchange), 302);
  });

  define('GET', '/user/identities/authorize', async (exchange) => {
    const principal = await requireUser(ctx, exchange);
    if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
    requireUsedFactor(principal);
    const url = await providerAddress(ctx, exchange, principal.user.id);
    return exchange.query.get('skip_http_redirect') === 'true' ? { url } : exchange.reply.redirect(url, 302);
  });
}

/** Account judges where the way back may lead, and asks for the challenge. */
function accountAddress(ctx: AuthContext, query: URLSearchParams): string {
  const passed = ['redirect_to', 'code_challenge', 'code_challenge_method', 'state']
    .map((name) => [name, query.get(name)] as const)
    .filter((pair): pair is readonly [string, string] => pair[1] !== null);
  const search = new URLSearchParams(passed.map(([name, value]) => [name, value])).toString();
  return `${ctx.settings.accountUrl()}/sign-in${search === '' ? '' : `?${search}`}`;
}

async function providerAddress(
  ctx: AuthContext,
  exchange: Exchange,
  linkingTargetId?: string,
): Promise<string> {
  const { query } = exchange;
  const provider = (query.get('provider') ?? '').toLowerCase();
  const client = await findProvider(ctx, provider, query.get('scopes') ?? '', unsupportedProvider);
  const inviteToken = query.get('invite_token') || undefined;
  if (inviteToken !== undefined) await requireInvited(ctx, inviteToken);
  const challenge = parseChallenge(
    query.get('code_challenge') ?? '',
    query.get('code_challenge_method') ?? '',
  );
  return beginSignIn(ctx, {
    client,
    challenge,
    inviteToken,
    redirectTo: exchange.redirectTo(),
    linkingTargetId,
    params: passedParams(query),
  });
}

async function requireInvited(ctx: AuthContext, token: string): Promise<void> {
  try {
    await findInvited(ctx, ctx.pool, token);
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    throw authError('user_not_found', 'User identified by token not found');
  }
}
