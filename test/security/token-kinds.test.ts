/**
 * Tests every kind of token in every place where tokens are accepted. The results must match the table in
 * docs/specification.md.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type TokenPlace, tokenKinds, tokenPlaces } from '../../scripts/docs/tokens.ts';
import type { AuthServer } from '../auth/harness.ts';
import * as oauth from '../auth/oauth-server/client.ts';
import { linkToken, operator, signIn } from '../console/harness.ts';
import { type Answer, alice, handMade, inAnHour, startWorld, type World } from './world.ts';

type Kind = keyof typeof tokenKinds;

const email = 'reader@example.com';
const password = 'correct horse battery';
const object = 'closed/letter.txt';
const newObject = 'closed/new.txt';

let world: World;
let client: oauth.Registered;
let consoleOrigin: string;
let consoleCookie: string;
let verifier = '';
let agentId: string;
const issued = new Map<Kind, string>();
/**
 * The kinds of tokens that a private channel accepted. The joins run concurrently, because a rejection is delayed by
 * several seconds.
 */
let joined: ReadonlySet<string>;
let attempts = 0;

const asAdmin = () => ({ headers: { apikey: world.backend.keys.secretKey } });

beforeAll(async () => {
  world = await startWorld({
    functions: { hello: `Deno.serve(() => new Response('reached'));` },
    config: {
      plinth: { server: { trusted_proxies: ['127.0.0.1'] }, auth: { api_keys: { enabled: true } } },
      auth: {
        site_url: 'https://app.example',
        oauth_server: { enabled: true, allow_dynamic_registration: true },
      },
    },
  });
  await issueAll();
  const joins = await Promise.all(
    [...issued.values()].map(async (token) => [token, await join(token)] as const),
  );
  joined = new Set(joins.filter(([, accepted]) => accepted).map(([token]) => token));
});
afterAll(() => world?.stop());

async function good(path: string, init: Parameters<World['call']>[1] = {}): Promise<Answer['body']> {
  const { status, body } = await world.call(path, init);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}

async function issueAll(): Promise<void> {
  const { backend } = world;
  const user = await good('/auth/v1/admin/users', {
    ...asAdmin(),
    json: { email, password, email_confirm: true },
  });
  const session = await good('/auth/v1/token?grant_type=password', { json: { email, password } });
  issued.set('access', session.access_token);
  issued.set('refresh', session.refresh_token);
  issued.set('anonKey', backend.keys.anonKey);
  issued.set('serviceRoleKey', backend.keys.serviceRoleKey);
  issued.set('temporary', backend.keys.temporaryToken('service_role', 120));

  const server = {
    url: backend.url,
    request: (
      path: string,
      init: { token?: string; json?: unknown; headers?: Record<string, string> } = {},
    ) =>
      backend.fetch(`/auth/v1${path}`, {
        redirect: 'manual',
        ...(init.json === undefined ? {} : { method: 'POST', body: JSON.stringify(init.json) }),
        headers: {
          'content-type': 'application/json',
          ...(init.token === undefined ? {} : { authorization: `Bearer ${init.token}` }),
          ...init.headers,
        },
      }),
  } as unknown as AuthServer;
  client = await oauth.register(server);
  const person = { id: user.id, email, token: session.access_token };
  const { tokens } = await oauth.signIn(server, client, person, { scope: 'openid email' });
  issued.set('oauthAccess', tokens.access_token);
  issued.set('oauthRefresh', tokens.refresh_token);
  issued.set('id', tokens.id_token ?? '');
  const userKey = await good('/auth/v1/user/api-keys', {
    token: session.access_token,
    json: { name: 'Script' },
  });
  issued.set('userKey', userKey.key);
  const sent = JSON.parse(await good('/rest/v1/rpc/sent_headers', { token: userKey.key }));
  issued.set('userKeyToken', sent.authorization.slice('Bearer '.length));
  const machine = await good('/auth/v1/admin/oauth/clients', {
    ...asAdmin(),
    json: { grant_types: ['client_credentials'], database_role: 'authenticated' },
  });
  const machineTokens = await oauth.token(server, { grant_type: 'client_credentials' }, oauth.basic(machine));
  issued.set('machine', machineTokens.body.access_token);
  const pair = oauth.pkce();
  verifier = pair.verifier;
  const authorization = await oauth.authorizationId(server, client.client_id, pair.challenge);
  issued.set('oauthCode', await oauth.approve(server, authorization, person.token));

  const link = await good('/auth/v1/admin/generate_link', {
    ...asAdmin(),
    json: { type: 'magiclink', email },
  });
  issued.set('oneTime', link.hashed_token);

  await good(`/storage/v1/object/${object}`, {
    method: 'POST',
    body: 'dear reader',
    headers: { apikey: backend.keys.secretKey, 'content-type': 'text/plain' },
  });
  const tokenOf = (url: string) => new URL(url, 'http://x').searchParams.get('token') ?? '';
  const signed = await good(`/storage/v1/object/sign/${object}`, { ...asAdmin(), json: { expiresIn: 600 } });
  issued.set('download', tokenOf(signed.signedURL));
  const upload = await good(`/storage/v1/object/upload/sign/${newObject}`, {
    method: 'POST',
    headers: { apikey: backend.keys.secretKey, 'x-upsert': 'true' },
  });
  issued.set('upload', tokenOf(upload.url));

  const account = await world.call('/account/api/sign-in', {
    json: { email, password },
    headers: { 'x-plinth-request': '1' },
  });
  issued.set('account', cookieOf(account.headers));
  const operator = await signIn(backend, await linkToken(backend));
  consoleOrigin = new URL(operator.url).origin;
  consoleCookie = (operator.headers.get('set-cookie') ?? '').split('=')[0] ?? '';
  issued.set('console', cookieOf(operator.headers));
  issued.set('consoleLink', await linkToken(backend));
  const created = await backend.operators.tokens.create('test', undefined, 3600);
  issued.set('operatorToken', created.token);
  await connectAgent();
}

const agentUri = 'http://127.0.0.1:4711/callback';

/** Registers an agent and approves it twice, once for its tokens and once for a code. */
async function connectAgent(): Promise<void> {
  const owner = await operator(world.backend);
  const registered = await world.backend.console.fetch('/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Agent', redirect_uris: [agentUri] }),
  });
  agentId = ((await registered.json()) as { client_id: string }).client_id;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: agentId,
    redirect_uri: agentUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const request = Buffer.from(String(query)).toString('base64url');
  const approve = async (): Promise<string> => {
    const choice = { request, role: 'owner', allowsChanges: true, lifetimeDays: 1 };
    const { body } = await owner.call('POST', '/agents/approve', choice);
    return new URL(body.url).searchParams.get('code') ?? '';
  };
  const answer = await agentForm({ grant_type: 'authorization_code', code: await approve() });
  const tokens = (await answer.json()) as { access_token: string; refresh_token: string };
  issued.set('agentAccess', tokens.access_token);
  issued.set('agentRefresh', tokens.refresh_token);
  issued.set('agentCode', await approve());
}

/** The number of attempts per IP address is limited, so each attempt uses a different IP address. */
const anyAddress = () => ({ 'x-forwarded-for': `192.0.2.${++attempts}` });

const agentForm = (fields: Record<string, string>): Promise<Response> =>
  fetch(`${consoleOrigin}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...anyAddress() },
    body: String(
      new URLSearchParams({
        client_id: agentId,
        redirect_uri: agentUri,
        code_verifier: verifier,
        ...fields,
      }),
    ),
  });

const cookieOf = (headers: Headers): string =>
  /^[^=]+=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';

const isGood = ({ status }: { status: number }): boolean => status >= 200 && status < 300;

const privateJoin = { access_token: '', config: { private: true, broadcast: {}, presence: { key: '' } } };

/**
 * Returns whether a channel accepts the token. Also returns true if only a policy rejects the join, because the token
 * itself is accepted.
 */
async function join(token: string): Promise<boolean> {
  const socket = new WebSocket(
    `${world.backend.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${world.backend.keys.anonKey}&vsn=2.0.0`,
  );
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const replied = new Promise<boolean>((resolve) => {
    socket.on('message', (data) => {
      const [, , , event, body] = JSON.parse(String(data));
      if (event !== 'phx_reply') return;
      resolve(body.status === 'ok' || String(body.response?.reason).startsWith('Unauthorized'));
    });
  });
  socket.send(
    JSON.stringify(['1', '1', 'realtime:team', 'phx_join', { ...privateJoin, access_token: token }]),
  );
  const accepted = await replied;
  socket.terminate();
  return accepted;
}

const oauthForm = (form: Record<string, string>) => ({
  method: 'POST',
  body: new URLSearchParams(form).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...oauth.basic(client) },
});

const tus = (token: string) => ({
  method: 'POST',
  headers: {
    'tus-resumable': '1.0.0',
    'upload-length': '1',
    'x-signature': token,
    'upload-metadata': [
      ['bucketName', 'closed'],
      ['objectName', 'new.txt'],
      ['contentType', 'text/plain'],
    ]
      .map(([name, value]) => `${name} ${Buffer.from(value ?? '').toString('base64')}`)
      .join(','),
  },
});

const present: Readonly<Record<TokenPlace, (token: string) => Promise<boolean>>> = {
  rest: async (token) => isGood(await world.call('/rest/v1/notes', { token })),
  storage: async (token) => isGood(await world.call('/storage/v1/bucket', { token })),
  functions: async (token) => isGood(await world.call('/functions/v1/hello', { token })),
  realtime: async (token) => joined.has(token),
  user: async (token) => isGood(await world.call('/auth/v1/user', { token })),
  ownAccount: async (token) =>
    isGood(await world.call('/auth/v1/user', { method: 'PUT', token, json: { data: { seen: true } } })),
  admin: async (token) => isGood(await world.call('/auth/v1/admin/users', { token })),
  userinfo: async (token) => isGood(await world.call('/auth/v1/oauth/userinfo', { token })),
  metrics: async (token) => isGood(await world.call('/metrics', { token })),
  refresh: async (token) =>
    isGood(await world.call('/auth/v1/token?grant_type=refresh_token', { json: { refresh_token: token } })),
  oauthRefresh: async (token) =>
    isGood(
      await world.call(
        '/auth/v1/oauth/token',
        oauthForm({ grant_type: 'refresh_token', refresh_token: token }),
      ),
    ),
  oauthCode: async (token) =>
    isGood(
      await world.call(
        '/auth/v1/oauth/token',
        oauthForm({
          grant_type: 'authorization_code',
          code: token,
          code_verifier: verifier,
          redirect_uri: oauth.callback,
        }),
      ),
    ),
  idTokenGrant: async (token) =>
    isGood(
      await world.call('/auth/v1/token?grant_type=id_token', {
        json: { id_token: token, provider: 'google' },
      }),
    ),
  verify: async (token) =>
    isGood(await world.call('/auth/v1/verify', { json: { type: 'magiclink', token_hash: token } })),
  download: async (token) =>
    isGood(await world.call(`/storage/v1/object/sign/${object}?token=${encodeURIComponent(token)}`)),
  upload: async (token) => {
    const put = await world.call(
      `/storage/v1/object/upload/sign/${newObject}?token=${encodeURIComponent(token)}`,
      { method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } },
    );
    const resumable = await world.call('/storage/v1/upload/resumable/sign', tus(token));
    expect(isGood(resumable)).toBe(isGood(put));
    return isGood(put);
  },
  account: async (token) => {
    const { status, body } = await world.call('/account/api/session', {
      headers: { 'x-plinth-request': '1', cookie: `plinth-account=${token}` },
    });
    return status === 200 && body !== null && JSON.stringify(body).includes(email);
  },
  console: async (token) => {
    const response = await fetch(`${consoleOrigin}/console/api/home`, {
      headers: { cookie: `${consoleCookie}=${token}` },
    });
    await response.text();
    return isGood(response);
  },
  management: async (token) => {
    const response = await fetch(`${consoleOrigin}/v1/projects`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.text();
    return isGood(response);
  },
  mcp: async (token) => {
    const response = await fetch(`${consoleOrigin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...anyAddress(),
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    await response.text();
    return isGood(response);
  },
  agentRefresh: async (token) =>
    isGood(await agentForm({ grant_type: 'refresh_token', refresh_token: token })),
  agentCode: async (token) => isGood(await agentForm({ grant_type: 'authorization_code', code: token })),
  consoleLink: async (token) => {
    const response = await signIn(world.backend, token, anyAddress());
    await response.text();
    return isGood(response);
  },
};

describe('a token grants only the access that the table lists', () => {
  const kinds = Object.keys(tokenKinds) as Kind[];
  const places = Object.keys(tokenPlaces) as TokenPlace[];

  it.each(kinds)('%s', async (kind) => {
    const token = issued.get(kind) ?? '';
    expect(token).not.toBe('');
    const allowed: readonly TokenPlace[] = tokenKinds[kind].places;
    // The places that accept the token are tested last, because they may use up the token.
    const order = [...places.filter((place) => !allowed.includes(place)), ...allowed];
    const accepted: TokenPlace[] = [];
    for (const place of order) if (await present[place](token)) accepted.push(place);
    expect(accepted.sort()).toEqual([...allowed].sort());
  });

  it('with a typ for another purpose doesn’t grant access', async () => {
    const { keys } = world.backend;
    const token = world.user(alice, { exp: inAnHour() });
    expect(await present.rest(token)).toBe(true);
    const claims = { sub: alice, role: 'authenticated', exp: inAnHour() };
    expect(await present.rest(handMade({ alg: 'HS256', typ: 'JWT' }, claims, keys.jwtSecret))).toBe(true);
    for (const place of ['rest', 'storage', 'functions', 'admin', 'metrics'] as const) {
      const logout = handMade(
        { alg: 'HS256', typ: 'logout+jwt' },
        { ...claims, role: 'service_role' },
        keys.jwtSecret,
      );
      expect([place, await present[place](logout)]).toEqual([place, false]);
    }
    expect(
      world.backend.keys.verify(handMade({ alg: 'HS256', typ: 'logout+jwt' }, claims, keys.jwtSecret)),
    ).toMatchObject({
      ok: false,
      reason: 'kind',
    });
  });
});
