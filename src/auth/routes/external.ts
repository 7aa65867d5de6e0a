/** GET /authorize, GET and POST /callback, GET /user/identities/authorize: sign-in with a social provider. */
import type { AuthContext } from '../context.ts';
import { withParams } from '../core/redirects.ts';
import { type AuthError, authError } from '../errors.ts';
import { requireUser } from '../http/authenticate.ts';
import type { Define } from './route.ts';

export const knownProviders = new Set(
  (
    'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc ' +
    'notion slack slack_oidc snapchat spotify twitch twitter x vercel_marketplace workos zoom'
  ).split(' '),
);

/** Our own pages as a provider, so that stock clients reach them by signInWithOAuth; named as custom ones are. */
const accountProvider = 'custom:account';

/** Account judges where the way back may lead, and asks for the challenge. */
function accountAddress(ctx: AuthContext, query: URLSearchParams): string {
  const passed = ['redirect_to', 'code_challenge', 'code_challenge_method', 'state']
    .map((name) => [name, query.get(name)] as const)
    .filter((pair): pair is readonly [string, string] => pair[1] !== null);
  const search = new URLSearchParams(passed.map(([name, value]) => [name, value])).toString();
  return `${ctx.settings.accountUrl()}/sign-in${search === '' ? '' : `?${search}`}`;
}

export function externalRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/authorize', (exchange) => {
    const { query, reply } = exchange;
    const provider = query.get('provider') ?? '';
    if (provider === accountProvider) return reply.redirect(accountAddress(ctx, query), 302);
    throw unsupportedProvider(provider);
  });
  for (const method of ['GET', 'POST'] as const) {
    // No sign-in is ever begun, so no state is known.
    define(method, '/callback', ({ reply }) => {
      const params = {
        error: 'invalid_request',
        error_code: 'bad_oauth_callback',
        error_description: 'OAuth state parameter missing',
      };
      return reply.redirect(withParams(ctx.settings.siteUrl, params), 303);
    });
  }
  define('GET', '/user/identities/authorize', async (exchange) => {
    await requireUser(ctx, exchange);
    if (!ctx.settings.manualLinkingEnabled) throw authError('manual_linking_disabled');
    throw unsupportedProvider(exchange.query.get('provider') ?? '');
  });
}

function unsupportedProvider(provider: string): AuthError {
  const isKnown = knownProviders.has(provider);
  const reason = isKnown ? 'provider is not enabled' : `Provider ${provider} could not be found`;
  return authError('validation_failed', `Unsupported provider: ${reason}`);
}
