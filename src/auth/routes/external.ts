/** GET /authorize and GET /user/identities/authorize: the browser is sent to a provider. */
import type { AuthContext } from '../context.ts';
import { requireUser } from '../flows/authenticate.ts';
import { accountProvider, linkingAddress, providerAddress } from '../flows/authorize.ts';
import type { Define } from './route.ts';

export function externalRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/authorize', async ({ caller, query, reply }) => {
    if (query.get('provider') === accountProvider) return reply.redirect(accountAddress(ctx, query), 302);
    return reply.redirect(await providerAddress(ctx, caller, query), 302);
  });

  define('GET', '/user/identities/authorize', async ({ caller, query, reply }) => {
    const url = await linkingAddress(ctx, await requireUser(ctx, caller), query);
    return query.get('skip_http_redirect') === 'true' ? { url } : reply.redirect(url, 302);
  });
}

/** The Account pages check the redirect address and require the challenge. */
function accountAddress(ctx: AuthContext, query: URLSearchParams): string {
  const passed = ['redirect_to', 'code_challenge', 'code_challenge_method', 'state']
    .map((name) => [name, query.get(name)] as const)
    .filter((pair): pair is readonly [string, string] => pair[1] !== null);
  const search = new URLSearchParams(passed.map(([name, value]) => [name, value])).toString();
  return `${ctx.settings.accountUrl()}/sign-in${search === '' ? '' : `?${search}`}`;
}
