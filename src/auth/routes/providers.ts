/**
 * Sign-in through social providers. None of them is offered yet, whatever config.toml enables; each answers as upstream
 * does where it is disabled.
 */
import type { AuthContext } from '../context.ts';
import { withParams } from '../core/redirects.ts';
import { type AuthError, authError } from '../errors.ts';
import { requireAdmin, requireUser } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Define, Method } from './route.ts';

const knownProviders = new Set(
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

export function providerRoutes(define: Define, ctx: AuthContext): void {
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

  const disabled = (method: Method, paths: readonly string[], error: () => AuthError) => {
    for (const path of paths) {
      define(method, path, () => {
        throw error();
      });
    }
  };

  const scim = () => authError('feature_disabled', 'SCIM server is disabled');
  disabled('GET', ['/scim/v2/ServiceProviderConfig', '/scim/v2/ResourceTypes', '/scim/v2/Schemas'], scim);

  const adminOnly = (method: Method, path: string, error: () => AuthError) =>
    define(method, path, async (exchange) => {
      await requireAdmin(ctx, exchange);
      throw error();
    });
  for (const method of ['GET', 'POST'] as const) {
    adminOnly(method, '/admin/custom-providers', () =>
      authError('feature_disabled', 'Custom OAuth providers are disabled'),
    );
  }
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    adminOnly(method, '/admin/custom-providers/:id', () =>
      authError('feature_disabled', 'Custom OAuth providers are disabled'),
    );
  }
}

function unsupportedProvider(provider: string): AuthError {
  const isKnown = knownProviders.has(provider);
  const reason = isKnown ? 'provider is not enabled' : `Provider ${provider} could not be found`;
  return authError('validation_failed', `Unsupported provider: ${reason}`);
}

/** grant_type=id_token. */
export function refuseIdToken(exchange: Exchange): Error {
  const body = exchange.body();
  const provider = body.text('provider');
  if (body.text('id_token') === '') return authError('validation_failed', 'id_token required');
  if (provider === '' && (body.text('client_id') === '' || body.text('issuer') === '')) {
    return authError('validation_failed', 'provider or client_id and issuer required');
  }
  if (knownProviders.has(provider)) {
    return authError('provider_disabled', `Provider (issuer "${body.text('issuer')}") is not enabled`);
  }
  return authError('validation_failed', `Custom OIDC provider "${provider}" not allowed`);
}
