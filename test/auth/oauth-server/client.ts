/**
 * Implements an OAuth client according to RFCs 6749, 7636, 7591 and 8414. The client is configured only with the
 * server's address.
 */
import { createHash, createPublicKey, randomBytes, verify, type webcrypto } from 'node:crypto';
import type { AuthServer } from '../harness.ts';
import { newEmail } from '../harness.ts';

export const callback = 'https://app.example/callback';

export interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly id_token?: string;
}

/** An error response from `/oauth/token`, which is either an RFC 6749 error or an upstream-specific error. */
export interface Refusal {
  readonly error?: string;
  readonly error_description?: string;
  readonly error_code?: string;
  readonly msg?: string;
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export const password = 'correct horse battery';

export async function person(server: AuthServer): Promise<Person> {
  const email = newEmail();
  const response = await server.request('/signup', { json: { email, password } });
  const session = await response.json<{ access_token: string; user: { id: string } }>();
  return { id: session.user.id, email, token: session.access_token };
}

export async function register(server: AuthServer, metadata: object = {}): Promise<Registered> {
  const response = await server.request('/oauth/clients/register', {
    json: { client_name: 'Reader', redirect_uris: [callback], ...metadata },
  });
  if (response.status !== 201) throw new Error(JSON.stringify(await response.json()));
  return response.json<Registered>();
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Sends an authorization request and returns the response's Location header. */
export async function begin(
  server: AuthServer,
  params: Record<string, string>,
): Promise<{ status: number; location: URL; body: Refusal }> {
  const query = new URLSearchParams({ response_type: 'code', redirect_uri: callback, ...params });
  const response = await server.request(`/oauth/authorize?${query}`);
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: new URL(location ?? 'about:blank'),
    body: location === null ? await response.json<Refusal>() : {},
  };
}

/** Starts an authorization request and returns its ID. */
export async function authorizationId(
  server: AuthServer,
  clientId: string,
  challenge: string,
  extra: Record<string, string> = {},
): Promise<string> {
  const { location } = await begin(server, {
    client_id: clientId,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...extra,
  });
  const id = location.searchParams.get('authorization_id');
  if (id === null) throw new Error(`no authorization in ${location.href}`);
  return id;
}

interface Details {
  readonly redirect_url?: string;
  readonly authorization_id?: string;
  readonly [member: string]: unknown;
}

export async function open(server: AuthServer, id: string, token: string) {
  const response = await server.request(`/oauth/authorizations/${id}`, { token });
  return { status: response.status, body: await response.json<Details & Refusal>() };
}

export async function decide(
  server: AuthServer,
  id: string,
  token: string,
  action: string,
  headers: Record<string, string> = {},
) {
  const response = await server.request(`/oauth/authorizations/${id}/consent`, {
    token,
    json: { action },
    headers,
  });
  return { status: response.status, body: await response.json<Details & Refusal>() };
}

/** Opens the authorization request as the user, approves the request, and returns the code. */
export async function approve(server: AuthServer, id: string, token: string): Promise<string> {
  const opened = await open(server, id, token);
  const url = opened.body.redirect_url ?? (await decide(server, id, token, 'approve')).body.redirect_url;
  const code = new URL(url ?? 'about:blank').searchParams.get('code');
  if (code === null) throw new Error(`no code in ${url}`);
  return code;
}

export async function token(
  server: AuthServer,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${server.url}/auth/v1/oauth/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
  });
  const body = (await response.json()) as Tokens & Refusal;
  return { status: response.status, body, cacheControl: response.headers.get('cache-control') };
}

export function basic({ client_id: id, client_secret: secret = '' }: Registered): { authorization: string } {
  const half = (text: string) => encodeURIComponent(text).replaceAll('-', '%2D').replaceAll('_', '%5F');
  return { authorization: `Basic ${Buffer.from(`${half(id)}:${half(secret)}`).toString('base64')}` };
}

/** Runs the whole flow for a confidential client and returns the token response. */
export async function signIn(
  server: AuthServer,
  client: Registered,
  user: Person,
  extra: Record<string, string> = {},
): Promise<{ tokens: Tokens; code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const id = await authorizationId(server, client.client_id, challenge, extra);
  const code = await approve(server, id, user.token);
  const { status, body } = await token(
    server,
    { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback },
    basic(client),
  );
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { tokens: body, code, verifier };
}

export function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

/** Returns the claims of an ES256 token whose signature matches a published key (RFC 7515 section 5.2). */
export async function verified(server: AuthServer, jwt: string): Promise<Record<string, unknown>> {
  const [head = '', body = '', tail = ''] = jwt.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string; kid: string };
  const jwks = (await (
    await server.request('/.well-known/jwks.json')
  ).json<{
    keys: (webcrypto.JsonWebKey & { kid: string })[];
  }>()) as { keys: (webcrypto.JsonWebKey & { kid: string })[] };
  const jwk = jwks.keys.find((key) => key.kid === header.kid);
  if (jwk === undefined || header.alg !== 'ES256') throw new Error(`no key for ${JSON.stringify(header)}`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signature = Buffer.from(tail, 'base64url');
  if (!verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, signature)) {
    throw new Error('the signature does not hold');
  }
  return claimsOf(jwt);
}
