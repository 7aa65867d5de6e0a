/** Performs the individual steps of a sign-in with a provider. */
import type { Issuer } from '../../keys/issuer.ts';
import type { AuthServer } from '../harness.ts';
import type { Internet } from './internet.ts';

/** Returns the URL to which the browser is redirected, and the `state` parameter of that URL. */
export async function leave(
  auth: AuthServer,
  provider: string,
  params: Readonly<Record<string, string>> = {},
): Promise<{ url: URL; state: string }> {
  const query = new URLSearchParams({ provider, ...params });
  const response = await auth.request(`/authorize?${query}`, { redirect: 'manual' });
  if (response.status !== 302) throw new Error(`/authorize: ${response.status} ${await response.text()}`);
  const url = new URL(response.headers.get('location') ?? '');
  return { url, state: url.searchParams.get('state') ?? '' };
}

export interface Arrival {
  readonly status: number;
  readonly url: URL;
  readonly query: Record<string, string>;
  readonly fragment: Record<string, string>;
}

/** Sends a request with these parameters to the callback, as the browser does when it returns. */
export async function comeBack(
  auth: AuthServer,
  params: Readonly<Record<string, string>>,
  method: 'GET' | 'POST' = 'GET',
): Promise<Arrival> {
  const search = new URLSearchParams(params).toString();
  const response = await auth.request(method === 'GET' ? `/callback?${search}` : '/callback', {
    method,
    redirect: 'manual',
    ...(method === 'GET'
      ? {}
      : { body: search, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  });
  const url = new URL(response.headers.get('location') ?? 'nowhere:');
  return {
    status: response.status,
    url,
    query: Object.fromEntries(url.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(url.hash.slice(1))),
  };
}

/** Runs a whole sign-in and returns its result. */
export async function signIn(
  auth: AuthServer,
  provider: string,
  params: Readonly<Record<string, string>> = {},
): Promise<Arrival> {
  const { state } = await leave(auth, provider, params);
  return comeBack(auth, { code: 'good-code', state });
}

interface WireIdentity {
  readonly provider: string;
  readonly id: string;
  readonly identity_data: Record<string, unknown>;
}

export interface WireUser {
  readonly id: string;
  readonly email: string;
  readonly email_confirmed_at?: string;
  readonly app_metadata: Record<string, unknown>;
  readonly user_metadata: Record<string, unknown>;
  readonly identities: readonly WireIdentity[];
}

export async function userOf(auth: AuthServer, arrival: Arrival): Promise<WireUser> {
  const token = arrival.fragment.access_token;
  if (token === undefined) throw new Error(`no session: ${arrival.url}`);
  return (await auth.request('/user', { token })).json<WireUser>();
}

/** Publishes an OpenID issuer with its own host name in the simulated internet. */
export function publishIssuer(internet: Internet, name: string, issuer: Issuer): void {
  const place = name.replace(/^https:\/\//, '');
  internet.serve(`${place}/.well-known/openid-configuration`, () => issuer.discovery);
  internet.serve(`${place}/jwks`, () => ({ keys: [issuer.publicJwk()] }));
}

let counter = 0;

/** Simulates GitHub with a user that the test defines. By default, each call creates a different user. */
export function serveGithub(
  internet: Internet,
  emails: readonly { email: string; verified: boolean; primary: boolean }[],
  id = 1_000_000 + counter++,
): number {
  internet.serve('github.com/login/oauth/access_token', ({ form }) =>
    form.get('code') === 'good-code'
      ? { access_token: 'gho_token', token_type: 'bearer', scope: 'user:email' }
      : { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' },
  );
  internet.serve('api.github.com/user', () => ({
    login: 'octocat',
    id,
    avatar_url: 'https://avatars.example/octocat.gif',
    name: 'Monalisa Octocat',
    email: null,
  }));
  internet.serve('api.github.com/user/emails', () => emails);
  return id;
}
