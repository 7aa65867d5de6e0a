/**
 * Checks a provider's settings as far as this is possible without a user's sign-in. Determines whether the settings are
 * complete, whether the provider responds, and whether it rejects the client ID or callback URL.
 */
import { randomUUID } from 'node:crypto';
import { hostnameOf, isLoopbackName } from '../../../base/kernel/request-origin.ts';
import type { AuthContext } from '../context.ts';
import type { ProviderSettings } from '../settings.ts';
import { findProviderSpec } from './catalog/table.ts';
import { providerWith } from './find.ts';
import {
  authorizationUrl,
  type ExternalProvider,
  type OAuth1Client,
  type OAuth2Client,
} from './oauth-client.ts';
import { requestToken } from './oauth1-client.ts';

export interface ProviderCheck {
  readonly id: 'enabled' | 'client-id' | 'secret' | 'url' | 'callback' | 'reachable' | 'accepted';
  /** `unknown` if only an actual sign-in can determine the result. */
  readonly result: 'passed' | 'failed' | 'unknown';
  readonly detail: string;
}

export interface ProviderTest {
  readonly checks: readonly ProviderCheck[];
}

/** Tests a provider with the settings in effect. Returns undefined if config.toml has no provider with this name. */
export async function testProvider(ctx: AuthContext, name: string): Promise<ProviderTest | undefined> {
  const settings = ctx.settings.providers.get(name);
  if (settings === undefined) return undefined;
  const client = providerWith(ctx, name, settings, '');
  const complete = completeness(ctx, name, settings, client);
  const canConnect = complete.every(({ id, result }) => result !== 'failed' || id === 'enabled');
  return { checks: canConnect ? [...complete, ...(await connection(ctx, client))] : complete };
}

const check = (
  id: ProviderCheck['id'],
  result: ProviderCheck['result'] | boolean,
  detail: string,
): ProviderCheck => ({
  id,
  result: typeof result === 'boolean' ? (result ? 'passed' : 'failed') : result,
  detail,
});

function completeness(
  ctx: AuthContext,
  name: string,
  settings: ProviderSettings,
  { redirectUri }: ExternalProvider,
): ProviderCheck[] {
  const { enabled, clientIds, secret, url } = settings;
  const expiry = expiryOf(secret);
  const isExpired = expiry !== undefined && expiry < ctx.clock.now();
  const day = expiry === undefined ? '' : new Date(expiry).toISOString().slice(0, 10);
  const needsUrl = findProviderSpec(name)?.needsUrl === true;
  return [
    check(
      'enabled',
      enabled,
      enabled ? 'The provider is on.' : 'The provider is off, so users can’t choose it.',
    ),
    check(
      'client-id',
      clientIds.length > 0,
      clientIds[0] === undefined
        ? 'Enter the client ID from the provider.'
        : `The client ID is ${clientIds[0]}.`,
    ),
    check(
      'secret',
      secret !== '' && !isExpired,
      secret === ''
        ? 'The client secret is missing, or its environment variable isn’t set.'
        : expiry === undefined
          ? 'A client secret is set.'
          : isExpired
            ? `The client secret expired on ${day}. Create a new one.`
            : `The client secret expires on ${day}.`,
    ),
    ...(needsUrl
      ? [check('url', url !== '', url === '' ? 'Enter the URL of your server.' : `The server is ${url}.`)]
      : []),
    callbackCheck(redirectUri),
  ];
}

function callbackCheck(redirectUri: string): ProviderCheck {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const isLocal = isLoopbackName(hostnameOf(url?.host ?? '') ?? '');
  if (url?.protocol === 'https:') return check('callback', true, `The callback URL is ${redirectUri}.`);
  return check(
    'callback',
    isLocal,
    isLocal
      ? `The callback URL is ${redirectUri}, which works only on this machine.`
      : `The callback URL ${redirectUri} doesn’t use HTTPS. Set the public API URL.`,
  );
}

/**
 * Returns the time at which a secret expires, in milliseconds since the epoch. Apple's secrets are JWTs that are valid
 * for up to six months. Returns undefined for secrets that aren't JWTs.
 */
function expiryOf(secret: string): number | undefined {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(secret)?.[1];
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

const connection = (ctx: AuthContext, client: ExternalProvider): Promise<ProviderCheck[]> =>
  client.kind === 'oauth1' ? oauth1Connection(ctx, client) : oauth2Connection(ctx, client);

/** Requests a token from the provider to determine whether it accepts the key, secret and callback URL. */
async function oauth1Connection(ctx: AuthContext, client: OAuth1Client): Promise<ProviderCheck[]> {
  try {
    await requestToken(ctx, client, randomUUID());
    return [check('accepted', true, 'The provider accepted the key, the secret and the callback URL.')];
  } catch (error) {
    return [check('accepted', false, `The provider rejected the request: ${causeOf(error)}.`)];
  }
}

const timeoutMs = 8000;

/** Requests the provider's sign-in page as a browser would, but doesn't follow redirects. */
async function oauth2Connection(ctx: AuthContext, client: OAuth2Client): Promise<ProviderCheck[]> {
  const url = authorizationUrl({ ...client, state: randomUUID(), params: [client.params] });
  const { host } = new URL(client.authorizeUrl);
  try {
    const { status, location } = await ctx.outgoing.send({
      url,
      reach: client.reach,
      headers: { accept: 'text/html' },
      timeoutMs,
    });
    if (status >= 500) return [check('reachable', false, `${host} responded with status ${status}.`)];
    return [check('reachable', true, `${host} responded.`), acceptance(client, status, location)];
  } catch (error) {
    return [check('reachable', false, `${host} can’t be reached: ${causeOf(error)}.`)];
  }
}

/**
 * Determines whether the provider accepts the client ID and callback URL. Providers must not redirect the browser if
 * the client ID or the callback URL is invalid (RFC 6749 section 4.1.2.1). Many providers check the client ID and the
 * callback URL only after the user has signed in.
 */
function acceptance(client: OAuth2Client, status: number, location: string | undefined): ProviderCheck {
  const target = location === undefined ? undefined : new URL(location, client.authorizeUrl);
  const fault =
    target?.searchParams.get('error') ?? (target?.pathname.includes('/error') ? 'error page' : null);
  if (fault !== null && fault !== undefined)
    return check('accepted', false, `The provider rejected the request: ${fault}.`);
  if (status >= 400)
    return check(
      'accepted',
      false,
      `The provider rejected the client ID or the callback URL (status ${status}). Register ${client.redirectUri} there.`,
    );
  return check(
    'accepted',
    'unknown',
    'The provider showed its sign-in page. It may check the callback URL only when a user signs in.',
  );
}

function causeOf(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: unknown };
  const text = cause instanceof Error && cause.message !== '' ? cause.message : String(message);
  return text.replace(/\.$/, '');
}
