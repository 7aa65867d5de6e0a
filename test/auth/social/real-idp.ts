/**
 * Runs the package oidc-provider as an identity provider. The package provides the sign-in page, the consent page and
 * the tokens.
 */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface RealIdp {
  /** The URL at which the provider can be reached. */
  readonly url: string;
  /** Makes the provider act as `issuer` for the client whose callback is `redirectUri`. */
  open(options: {
    issuer: string;
    redirectUri: string;
    pkce: boolean;
    routes?: Record<string, string>;
  }): void;
  /** The email claims of each account. On the sign-in page, an account's ID is entered in the field `login`. */
  readonly accounts: Map<string, Record<string, unknown>>;
  stop(): Promise<void>;
}

export const idpClient = { client_id: 'plinth', client_secret: 'a-secret-of-the-client' } as const;

export async function startRealIdp(): Promise<RealIdp> {
  const accounts = new Map<string, Record<string, unknown>>();
  let listener: ReturnType<Provider['callback']> | undefined;
  const server = createServer((request, response) => void listener?.(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts,
    open({ issuer, redirectUri, pkce, routes }) {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const provider = new Provider(issuer, {
        clients: [{ ...idpClient, redirect_uris: [redirectUri], grant_types: ['authorization_code'] }],
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name', 'preferred_username'],
        },
        conformIdTokenClaims: false,
        cookies: { keys: ['a key of the test'] },
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'idp-1' }] },
        // The lifetimes in seconds. All lifetimes are set explicitly, because the package would otherwise print
        // warnings.
        ttl: {
          AccessToken: 600,
          AuthorizationCode: 60,
          Grant: 600,
          IdToken: 600,
          Interaction: 600,
          Session: 600,
        },
        pkce: { required: () => pkce },
        ...(routes === undefined ? {} : { routes }),
        findAccount: async (_ctx, id) => ({
          accountId: id,
          claims: async () => ({ sub: id, ...accounts.get(id) }),
        }),
      });
      provider.proxy = true;
      listener = provider.callback();
    },
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/**
 * Simulates a browser with cookies. Signs in at the identity provider, consents, and returns the first URL that isn't
 * the provider's.
 * @param hosts The provider's host names, and the address at which each is reached.
 */
export async function walk(
  start: string,
  hosts: ReadonlyMap<string, string>,
  login: string,
  decision: 'agree' | 'refuse' = 'agree',
): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(start);
  let form: string | undefined;
  for (let step = 0; step < 20; step++) {
    const base = hosts.get(url.host);
    if (base === undefined) return url;
    const response = await fetch(base + url.pathname + url.search, {
      redirect: 'manual',
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-forwarded-host': url.host,
        'x-forwarded-proto': url.protocol.slice(0, -1),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? {} : { body: form }),
    });
    form = undefined;
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`${url.pathname}: ${response.status} ${page.slice(0, 500)}`);
    if (prompt === 'consent' && decision === 'refuse') {
      url = new URL(`${url.pathname}/abort`, url);
      continue;
    }
    form = new URLSearchParams({
      prompt,
      ...(prompt === 'login' ? { login, password: 'any' } : {}),
    }).toString();
  }
  throw new Error(`no end of redirects at ${url}`);
}
