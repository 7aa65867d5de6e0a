/** Implements the three steps of OAuth 1.0a (RFC 5849 section 2) with Twitter. */
import { randomUUID } from 'node:crypto';
import { encodeParams } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';
import { authError, internalError, OAuthShapedError } from '../errors.ts';
import { textAt } from './catalog/spec.ts';
import type { OAuth1Client } from './oauth-client.ts';
import { oauth1Header } from './oauth1.ts';
import { claimsOf, type ProviderResponse, soleEmail } from './profile.ts';

/**
 * Obtains a request token from the provider. `secret` contains the token and the token's secret, and is stored until
 * the provider redirects the browser back.
 */
export async function requestToken(
  ctx: AuthContext,
  client: OAuth1Client,
  state: string,
): Promise<{ url: string; secret: string }> {
  const response = await sendForm(ctx, client, {
    path: '/oauth/request_token',
    credentials: noToken,
    protocol: { oauth_callback: `${client.redirectUri}?state=${state}` },
  }).catch((cause: unknown) => {
    throw internalError('Unable to retrieve request token', cause);
  });
  const { token } = response;
  const url = `${client.url}/oauth/authenticate?${encodeParams({ oauth_token: token })}`;
  return { url, secret: joinToken(response) };
}

/** Exchanges the verifier for an access token and reads the user's profile. @throws {AuthError} */
export async function oauth1Profile(
  ctx: AuthContext,
  client: OAuth1Client,
  params: URLSearchParams,
  secret: string | undefined,
): Promise<ProviderResponse> {
  if (params.has('denied')) throw new OAuthShapedError('access_denied', 'The user denied the request');
  const requested = splitToken(secret ?? '');
  // RFC 5849 section 2.2: the redirect from the provider must contain the request token of this sign-in.
  if (requested.token === '' || params.get('oauth_token') !== requested.token) {
    throw authError('oauth_invalid_state', 'OAuth request token mismatch');
  }
  const access = await sendForm(ctx, client, {
    path: '/oauth/access_token',
    credentials: requested,
    protocol: { oauth_verifier: params.get('oauth_verifier') ?? '' },
  }).catch((cause: unknown) => {
    throw internalError('Unable to retrieve access token', cause);
  });
  const user = await readUser(ctx, client, access).catch((cause: unknown) => {
    throw internalError('Error getting user email from external provider', cause);
  });
  const id = textAt(user, 'id_str');
  const name = textAt(user, 'name');
  const username = textAt(user, 'screen_name');
  const picture = textAt(user, 'profile_image_url_https');
  return {
    accessToken: access.token,
    refreshToken: '',
    profile: {
      emails: soleEmail(textAt(user, 'email'), true),
      claims: claimsOf({
        iss: client.url + profilePath,
        sub: id,
        name,
        picture,
        preferred_username: username,
        user_name: username,
        full_name: name,
        avatar_url: picture,
        provider_id: id,
      }),
    },
  };
}

interface Token {
  readonly token: string;
  readonly tokenSecret: string;
}

const noToken: Token = { token: '', tokenSecret: '' };

const joinToken = ({ token, tokenSecret }: Token): string => encodeParams({ token, tokenSecret });

function splitToken(text: string): Token {
  const params = new URLSearchParams(text);
  return { token: params.get('token') ?? '', tokenSecret: params.get('tokenSecret') ?? '' };
}

const profilePath = '/1.1/account/verify_credentials.json';

async function readUser(ctx: AuthContext, client: OAuth1Client, access: Token): Promise<unknown> {
  const url = client.url + profilePath;
  const params = { include_email: 'true', include_entities: 'false', skip_status: 'true' };
  const response = await ctx.outgoing.send({
    url: `${url}?${encodeParams(params)}`,
    reach: 'configured',
    headers: { authorization: sign(ctx, client, access, { method: 'GET', url, params }) },
  });
  if (response.status !== 200) throw new Error(`${client.url} responded with status ${response.status}`);
  return JSON.parse(response.text) as unknown;
}

/** Sends a signed request and returns the token in the response. */
async function sendForm(
  ctx: AuthContext,
  client: OAuth1Client,
  {
    path,
    credentials,
    protocol,
  }: {
    readonly path: string;
    readonly credentials: Token;
    readonly protocol: Readonly<Record<string, string>>;
  },
): Promise<Token> {
  const url = client.url + path;
  const response = await ctx.outgoing.send({
    url,
    reach: 'configured',
    method: 'POST',
    body: '',
    headers: { authorization: sign(ctx, client, credentials, { method: 'POST', url, params: {}, protocol }) },
  });
  const form = new URLSearchParams(response.text);
  const token = form.get('oauth_token') ?? '';
  if (response.status !== 200 || token === '') throw new Error(`${url} returned status ${response.status}`);
  return { token, tokenSecret: form.get('oauth_token_secret') ?? '' };
}

function sign(
  ctx: AuthContext,
  { consumerKey, consumerSecret }: OAuth1Client,
  token: Token,
  request: Parameters<typeof oauth1Header>[1],
): string {
  const nowSeconds = Math.floor(ctx.clock.now() / 1000);
  return oauth1Header({ consumerKey, consumerSecret, ...token }, request, randomUUID(), nowSeconds);
}
