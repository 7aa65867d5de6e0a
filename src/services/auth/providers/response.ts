/**
 * Reads the response with which a provider redirects the browser back: exchanges the code for tokens, and reads the
 * user's profile.
 */
import type { FlowState } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError, OAuthShapedError } from '../errors.ts';
import { type TokenResponse, textAt } from './catalog/spec.ts';
import { findProvider } from './find.ts';
import {
  type ClientAuth,
  type ExternalProvider,
  type OAuth2Client,
  readTokenResponse,
  redemptionRequest,
} from './oauth-client.ts';
import { oauth1Profile } from './oauth1-client.ts';
import type { ExternalProfile, ProviderResponse } from './profile.ts';
import { consumeOAuthClientState } from './queries.ts';

/** The lifetime of a stored PKCE verifier, which is the same as in upstream. */
const clientStateLifetimeMs = 300_000;

/**
 * Reads the provider's response and returns the user's profile and tokens.
 * @param params the parameters with which the provider redirected the browser back
 * @throws {OAuthShapedError} with the provider's error
 * @throws {AuthError}
 */
export async function readProviderResponse(
  ctx: AuthContext,
  flow: FlowState,
  params: URLSearchParams,
): Promise<ProviderResponse> {
  const rejection = params.get('error') ?? '';
  if (rejection !== '') throw new OAuthShapedError(rejection, params.get('error_description') ?? '');
  // The provider is determined by the flow state and not by the request.
  const client = await clientOf(ctx, flow.provider_type);
  if (client.kind === 'oauth1') return oauth1Profile(ctx, client, params, await consumeSecret(ctx, flow));
  const code = requireCode(client, params);
  const codeVerifier = await consumeSecret(ctx, flow);
  if (client.pkce && codeVerifier === undefined) {
    throw authError('oauth_invalid_state', 'OAuth PKCE code verifier missing');
  }
  const token = await redeem(ctx, client, code, codeVerifier);
  const profile = await client.readProfile(token).catch((cause: unknown) => {
    throw internalError('Error getting user profile from external provider', cause);
  });
  const { accessToken, refreshToken } = token;
  return { profile: withAppleName(flow.provider_type, profile, params), accessToken, refreshToken };
}

async function clientOf(ctx: AuthContext, provider: string): Promise<ExternalProvider> {
  if (isConnection(provider)) {
    const { clientOfFlow } = await import('../organizations/connections/sign-in.ts');
    return clientOfFlow(ctx, provider);
  }
  return findProvider(ctx, provider, '', (reason) =>
    authError('oauth_provider_not_supported', `Unsupported provider: ${reason}`),
  );
}

/** Whether a flow belongs to the connection of an organization. Such flows can't be started with `/authorize`. */
export const isConnection = (provider: string): boolean => provider.startsWith('sso:');

/** Exchanges the code in a provider's response, without a stored flow. */
export async function readToken(
  ctx: AuthContext,
  client: OAuth2Client,
  params: URLSearchParams,
  codeVerifier: string,
): Promise<TokenResponse> {
  const rejection = params.get('error') ?? '';
  if (rejection !== '') throw new OAuthShapedError(rejection, params.get('error_description') ?? '');
  return redeem(ctx, client, requireCode(client, params), codeVerifier);
}

function requireCode(client: OAuth2Client, params: URLSearchParams): string {
  const code = params.get('code') ?? '';
  if (code === '') {
    throw authError('bad_oauth_callback', 'OAuth callback with missing authorization code missing');
  }
  requireSameIssuer(client, params);
  return code;
}

/**
 * Checks that the response is from the expected issuer. This check prevents mix-up attacks, in which a code is sent to
 * a different provider than the one that issued it (RFC 9207 section 2.4).
 */
function requireSameIssuer(client: OAuth2Client, params: URLSearchParams): void {
  if (client.advertisedIssuer === undefined || params.get('iss') === client.advertisedIssuer) return;
  throw authError('bad_oauth_callback', "OAuth callback isn't from the provider that was used");
}

/**
 * Returns and deletes the flow's secret (a PKCE verifier or a request token), so that the secret can be used only once.
 */
async function consumeSecret(ctx: AuthContext, flow: FlowState): Promise<string | undefined> {
  if (flow.oauth_client_state_id === null) return undefined;
  const state = await consumeOAuthClientState(ctx.pool, flow.oauth_client_state_id);
  if (!state) throw authError('oauth_client_state_not_found', undefined, { status: 422 });
  if (state.provider_type !== flow.provider_type) {
    throw authError('oauth_invalid_state', 'OAuth provider mismatch');
  }
  if (ctx.clock.now() > toMs(state.created_at) + clientStateLifetimeMs) {
    throw authError('oauth_client_state_expired', 'OAuth state expired', { status: 422 });
  }
  return state.code_verifier ?? undefined;
}

/**
 * Exchanges the code for tokens. Providers support different client authentication methods and often don't document
 * them. If the provider rejects the first method for a reason other than the code, the other method is tried.
 */
async function redeem(
  ctx: AuthContext,
  client: OAuth2Client,
  code: string,
  codeVerifier: string | undefined,
): Promise<TokenResponse> {
  const authMethods: readonly ClientAuth[] =
    client.clientAuth === 'post' ? ['post', 'basic'] : ['basic', 'post'];
  const failure = (cause: unknown) =>
    // The code is truncated between code points, because an unpaired surrogate can't be encoded in a URL.
    internalError(`Unable to exchange external code: ${[...code].slice(0, 4).join('')}`, cause);
  let error = '';
  for (const authMethod of authMethods) {
    const response = await ctx.outgoing
      .send({
        url: client.tokenUrl,
        reach: client.reach,
        method: 'POST',
        ...redemptionRequest({ ...client, code, codeVerifier }, authMethod),
      })
      .catch((cause: unknown) => {
        throw failure(cause);
      });
    const result = readTokenResponse(response);
    if (result.ok) return result.token;
    error = result.error;
    if (error === 'invalid_grant') break;
  }
  throw failure(
    new Error(`${new URL(client.tokenUrl).origin} rejected the code: ${error || 'no reason given'}`),
  );
}

/** Adds the user's name to the profile. Apple sends the name only once, together with the code. */
function withAppleName(provider: string, profile: ExternalProfile, params: URLSearchParams): ExternalProfile {
  const text = params.get('user') ?? '';
  if (provider !== 'apple' || text === '') return profile;
  let user: unknown;
  try {
    user = JSON.parse(text);
  } catch (cause) {
    throw internalError('Error getting user profile from external provider', cause);
  }
  const name = `${textAt(user, 'name', 'firstName')} ${textAt(user, 'name', 'lastName')}`.trim();
  return name === '' ? profile : { ...profile, claims: { ...profile.claims, name, full_name: name } };
}
