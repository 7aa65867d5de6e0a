/** Attacks the OAuth server for MCP clients, and tests its rules over HTTP. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { metadataPlugin } from '../../src/pages/console/mcp/oauth/routes.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let dev: Operator;
let looker: Operator;
beforeAll(async () => {
  backend = await startBackend({ config: { plinth: { server: { trusted_proxies: ['loopback'] } } } });
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  dev = await operator(backend, 'dev');
  looker = await operator(backend, 'looker');
});
afterAll(() => backend?.stop());

const redirectUri = 'http://127.0.0.1:7777/callback';
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
type Json = any;

let requests = 0;
/** Requests with invalid tokens are limited per IP address, so each request comes from another one. */
const anyAddress = (): Record<string, string> => {
  requests++;
  return { 'x-forwarded-for': `203.0.${requests >> 8}.${requests & 255}` };
};

const post = (path: string, body: string, type: string, headers: Record<string, string> = {}) =>
  backend.console.fetch(path, {
    method: 'POST',
    headers: { 'content-type': type, ...anyAddress(), ...headers },
    body,
  });

async function form(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const body = String(new URLSearchParams(fields));
  const response = await post(path, body, 'application/x-www-form-urlencoded', headers);
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as Json,
    headers: response.headers,
  };
}

async function register(metadata: object): Promise<{ status: number; body: Json }> {
  const response = await post('/oauth/register', JSON.stringify(metadata), 'application/json');
  return { status: response.status, body: await response.json() };
}

async function newClient(name: string, redirectUris: readonly string[] = [redirectUri]): Promise<string> {
  const { status, body } = await register({ client_name: name, redirect_uris: redirectUris });
  expect([status, body.error_description]).toEqual([201, undefined]);
  return body.client_id;
}

/** Returns the `request` parameter with which `/oauth/authorize` redirects to the Console's page. */
async function ask(clientId: string, changes: Record<string, string | undefined> = {}): Promise<string> {
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'state-1',
    ...changes,
  };
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await backend.console.fetch(`/oauth/authorize?${new URLSearchParams(given)}`, {
    redirect: 'manual',
  });
  expect(response.status).toBe(303);
  const location = new URL(response.headers.get('location') ?? '', 'http://console');
  expect(location.origin + location.pathname).toBe('http://console/console/authorize');
  return location.searchParams.get('request') ?? '';
}

const readOnly = { role: 'read-only', allowsChanges: false, lifetimeDays: 7 };

async function approve(
  by: Operator,
  clientId: string,
  choice: object = readOnly,
  changes = {},
): Promise<string> {
  const request = await ask(clientId, changes);
  const { status, body } = await by.call('POST', '/agents/approve', { request, ...choice });
  expect([status, body.message]).toEqual([200, undefined]);
  return new URL(body.url).searchParams.get('code') ?? '';
}

const exchange = (clientId: string, code: string, changes: Record<string, string> = {}) =>
  form('/oauth/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...changes,
  });

const refresh = (clientId: string, token: string, headers: Record<string, string> = {}) =>
  form('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token }, headers);

interface Tokens {
  readonly clientId: string;
  readonly access: string;
  readonly refresh: string;
}

async function connect(by: Operator, name: string, choice: object = readOnly): Promise<Tokens> {
  const clientId = await newClient(name);
  const { status, body } = await exchange(clientId, await approve(by, clientId, choice));
  expect([status, body.error_description]).toEqual([200, undefined]);
  return { clientId, access: body.access_token, refresh: body.refresh_token };
}

/** Lists the tools with a token. Returns the status or the tools' names. */
async function tools(token: string, query = ''): Promise<number | string[]> {
  const response = await backend.console.fetch(`/mcp${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...anyAddress(),
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  if (response.status !== 200) return response.status;
  const data = (await response.text()).replace(/^[\s\S]*?data: /, '');
  return (JSON.parse(data) as Json).result.tools.map(({ name }: { name: string }) => name);
}

const db = () => backend.database.pool('supabase_admin');

describe('discovery', () => {
  test('leads from the endpoint to the authorization server', async () => {
    const rejected = await backend.console.fetch('/mcp', { method: 'POST', body: '{}' });
    expect(rejected.status).toBe(401);
    const challengeText = rejected.headers.get('www-authenticate') ?? '';
    const [, url = ''] = /^Bearer resource_metadata="([^"]+)", scope="read"$/.exec(challengeText) ?? [];
    const { pathname, origin } = new URL(url);
    expect(pathname).toBe('/.well-known/oauth-protected-resource/mcp');
    for (const path of [pathname, '/.well-known/oauth-protected-resource']) {
      const metadata = (await (await backend.console.fetch(path)).json()) as Json;
      expect(metadata).toMatchObject({
        resource: `${origin}/mcp`,
        authorization_servers: [expect.any(String)],
      });
    }
    const server = (await (
      await backend.console.fetch('/.well-known/oauth-authorization-server')
    ).json()) as Json;
    expect(server).toMatchObject({
      issuer: backend.console.url,
      token_endpoint: `${backend.console.url}/oauth/token`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    const invalid = await backend.console.fetch('/mcp', {
      method: 'POST',
      headers: { authorization: 'Bearer plinth_at_x' },
      body: '{}',
    });
    expect(invalid.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('isn’t served under another host name', async () => {
    // `fetch` would set a different Host header.
    const url = `${backend.console.url}/.well-known/oauth-authorization-server`;
    const [response] = (await once(get(url, { headers: { host: 'evil.example' } }), 'response')) as [
      IncomingMessage,
    ];
    response.resume();
    expect(response.statusCode).toBe(421);
  });
});

describe('registration', () => {
  test.each<[string, object, string]>([
    ['no redirect URI', { client_name: 'a', redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)//x'] }, 'invalid_redirect_uri'],
    ['data', { redirect_uris: ['data://text/html,x'] }, 'invalid_redirect_uri'],
    ['unencrypted HTTP', { redirect_uris: ['http://app.example/cb'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://app.example/cb#x'] }, 'invalid_redirect_uri'],
    ['a user name', { redirect_uris: ['https://good.example@evil.example/cb'] }, 'invalid_redirect_uri'],
    ['a backslash', { redirect_uris: ['https://evil.example\\@good.example/cb'] }, 'invalid_redirect_uri'],
    ['too many URIs', { redirect_uris: Array(11).fill(redirectUri) }, 'invalid_redirect_uri'],
    ['a reversed name', { client_name: 'a\u202eb', redirect_uris: [redirectUri] }, 'invalid_client_metadata'],
    [
      'a long name',
      { client_name: 'x'.repeat(101), redirect_uris: [redirectUri] },
      'invalid_client_metadata',
    ],
    [
      'another grant type',
      { grant_types: ['client_credentials'], redirect_uris: [redirectUri] },
      'invalid_client_metadata',
    ],
    [
      'too much metadata',
      { redirect_uris: Array.from({ length: 9 }, (_, n) => `https://app.example/${n}${'x'.repeat(400)}`) },
      'invalid_client_metadata',
    ],
  ])('rejects %s', async (_what, metadata, error) => {
    expect(await register(metadata)).toMatchObject({ status: 400, body: { error } });
  });

  test('stores nothing, ignores unknown metadata, and creates public clients', async () => {
    const before = await db().query(sql`select pg_catalog.count(*)::int as n from _plinth.agent_grants`);
    const { status, body } = await register({
      client_name: 'Agent',
      redirect_uris: [redirectUri, 'cursor://anysphere.cursor-mcp/oauth/callback'],
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'native',
      software_id: 'x',
    });
    expect([status, body.token_endpoint_auth_method, body.client_secret]).toEqual([201, 'none', undefined]);
    const again = await register({ client_name: 'Agent', redirect_uris: body.redirect_uris });
    expect(again.body.client_id).toBe(body.client_id);
    expect(await db().query(sql`select pg_catalog.count(*)::int as n from _plinth.agent_grants`)).toEqual(
      before,
    );
  });

  test('a large body is rejected', async () => {
    const text = JSON.stringify({ redirect_uris: [redirectUri], x: 'x'.repeat(20_000) });
    expect((await post('/oauth/register', text, 'application/json')).status).toBe(413);
  });
});

const look = async (request: string) =>
  (await dev.call('GET', `/agents/request?request=${encodeURIComponent(request)}`)).body;

describe('an authorization request', () => {
  test('shows the agent, and where its access goes', async () => {
    const clientId = await newClient('Shown', ['https://app.example/cb']);
    const request = await ask(clientId, { redirect_uri: 'https://app.example/cb', scope: 'read write' });
    expect(await look(request)).toEqual({
      agent: { name: 'Shown', host: null, destination: 'app.example', isLocal: false, asksForChanges: true },
      fault: null,
      returnUrl: expect.stringMatching(
        /^https:\/\/app\.example\/cb\?error=access_denied&.*state=state-1&iss=/,
      ),
    });
  });

  test.each([
    ['another host', 'https://evil.example/callback'],
    ['another path', 'http://127.0.0.1:7777/other'],
    ['an added query', 'http://127.0.0.1:7777/callback?x=1'],
    ['another loopback name', 'http://localhost:7777/callback'],
    ['a user name', 'http://x@127.0.0.1:7777/callback'],
    ['another scheme', 'https://127.0.0.1:7777/callback'],
    ['a suffix of the host', 'http://127.0.0.1.evil.example:7777/callback'],
    ['a script', 'javascript:alert(1)'],
    ['nothing', ''],
  ])('isn’t approved, and has no link back, with the redirect URI of %s', async (_what, uri) => {
    const request = await ask(await newClient('Redirected'), { redirect_uri: uri });
    expect(await look(request)).toMatchObject({ agent: null, returnUrl: null });
    const { status } = await dev.call('POST', '/agents/approve', { request, ...readOnly });
    expect(status).toBe(400);
  });

  test('can use another port of this machine, but not of another host', async () => {
    const local = await newClient('Ports', [redirectUri, 'https://app.example/cb']);
    expect(await look(await ask(local, { redirect_uri: 'http://127.0.0.1:1234/callback' }))).toMatchObject({
      agent: { destination: '127.0.0.1:1234', isLocal: true },
    });
    expect(await look(await ask(local, { redirect_uri: 'https://app.example:444/cb' }))).toMatchObject({
      agent: null,
    });
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['the default method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'x' }, 'invalid_request'],
    ['a token response', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another port', { resource: 'http://127.0.0.1:1/mcp' }, 'invalid_target'],
    ['the Management API', { resource: 'http://localhost/v1' }, 'invalid_target'],
  ])('isn’t approved with %s', async (_what, changes, error) => {
    const request = await ask(await newClient('Faulty'), changes);
    const shown = await look(request);
    expect(shown).toMatchObject({ agent: null, fault: expect.any(String) });
    expect(new URL(shown.returnUrl).searchParams.get('error')).toBe(error);
    expect((await dev.call('POST', '/agents/approve', { request, ...readOnly })).status).toBe(400);
  });

  test('isn’t approved if a parameter is repeated or the client is unknown', async () => {
    const clientId = await newClient('Twice');
    const query = Buffer.from(await ask(clientId), 'base64url').toString();
    for (const text of [
      `${query}&redirect_uri=https%3A%2F%2Fevil.example`,
      query.replace(clientId, `${clientId}A`),
      query.replace(clientId, 'plinth-W10'),
      '',
    ]) {
      const request = Buffer.from(text || 'x').toString('base64url');
      expect(await look(request)).toMatchObject({ agent: null, returnUrl: null });
    }
  });

  test('can be opened from another website, but not in a frame or by a script', async () => {
    const open = async (headers: Record<string, string>) => {
      const sent = get(`${backend.console.url}/oauth/authorize?client_id=x`, { headers });
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(await open(link)).toBe(303);
    expect(await open({ ...link, 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(await open({ ...link, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' })).toBe(403);
  });

  test('a long request is rejected', async () => {
    const response = await backend.console.fetch(`/oauth/authorize?state=${'x'.repeat(9000)}`);
    expect(response.status).toBe(400);
  });
});

describe('a client ID metadata document', () => {
  test.each(['https://localhost/agent.json', 'https://127.0.0.1/agent.json', 'https://agent.example/'])(
    'isn’t loaded from %s',
    async (url) => {
      const { agent, fault, returnUrl } = await look(await ask(url));
      expect([agent, returnUrl]).toEqual([null, null]);
      expect(fault).toMatch(/can't be loaded|normalized URL/);
    },
  );

  test('is supported only by a Console with HTTPS, unless it is turned off', async () => {
    const publicUrl = new URL('https://console.example.com');
    const supported = async (usesDocuments: boolean) => {
      const app = fastify();
      onTestFinished(() => app.close());
      const site = { url: () => publicUrl.origin, ownAddress: { publicUrl } };
      app.register(metadataPlugin({ site, usesDocuments: () => usesDocuments }));
      const response = await app.inject({
        url: '/oauth-authorization-server',
        headers: { host: publicUrl.host },
      });
      return response.json().client_id_metadata_document_supported;
    };
    expect(await supported(true)).toBe(true);
    expect(await supported(false)).toBe(false);
    const local = await backend.console.fetch('/.well-known/oauth-authorization-server');
    expect(((await local.json()) as Json).client_id_metadata_document_supported).toBe(false);
  });
});

describe('approval', () => {
  test('needs a signed-in operator, the CSRF token and a recent sign-in', async () => {
    const request = await ask(await newClient('Forged'));
    const body = { request, ...readOnly };
    const anonymous = await backend.console.fetch('/console/api/agents/approve', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(anonymous.status).toBe(401);
    const foreign: Record<string, string>[] = [
      { 'x-plinth-csrf': 'wrong' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign)
      expect((await dev.call('POST', '/agents/approve', body, headers)).status).toBe(403);
    const stale = await operator(backend, 'dev');
    await db().query(sql`
      update _plinth.operator_sessions set created_at = now() - interval '11 minutes'
      where csrf_token = ${stale.csrfToken}`);
    expect((await stale.call('POST', '/agents/approve', body)).body.code).toBe('sign_in_again');
  });

  test.each<[string, () => Operator, object]>([
    ['a read-only operator who allows changes', () => looker, { ...readOnly, allowsChanges: true }],
    ['a read-only operator with another role', () => looker, { ...readOnly, role: 'developer' }],
    ['a developer with the role owner', () => dev, { ...readOnly, role: 'owner' }],
    ['a read-only role with changes', () => owner, { ...readOnly, allowsChanges: true }],
  ])('is forbidden for %s', async (_what, by, choice) => {
    const request = await ask(await newClient('Greedy'), { scope: 'read write' });
    const { status, body } = await by().call('POST', '/agents/approve', { request, ...choice });
    expect([status, body.code]).toEqual([403, 'forbidden']);
  });

  test('an approved agent of a read-only operator can’t write, whatever it asks for', async () => {
    const { access } = await connect(looker, 'Reader');
    expect(await tools(access, '?read_only=false')).not.toContain('apply_migration');
  });
});

describe('a code', () => {
  test('works once, and a second use ends the access', async () => {
    const clientId = await newClient('Replayed');
    const code = await approve(dev, clientId);
    const { status, body, headers } = await exchange(clientId, code);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await tools(body.access_token)).toContain('list_tables');
    expect((await exchange(clientId, code)).body.error).toBe('invalid_grant');
    expect(await tools(body.access_token)).toBe(401);
    expect((await refresh(clientId, body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('concurrent exchanges don’t leave two clients with access', async () => {
    const clientId = await newClient('Raced');
    const code = await approve(dev, clientId);
    const results = await Promise.all([exchange(clientId, code), exchange(clientId, code)]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 400]);
    const issued = results.find(({ status }) => status === 200);
    expect(await tools(issued?.body.access_token)).toBe(401);
  });

  test('is bound to the client, the redirect URI, the verifier and the resource', async () => {
    const clientId = await newClient('Bound');
    const other = await newClient('Other');
    const code = await approve(dev, clientId);
    const attempts: Record<string, string>[] = [
      { client_id: other },
      { client_id: '' },
      { redirect_uri: 'http://127.0.0.1:7777/other' },
      { redirect_uri: '' },
      { code_verifier: randomBytes(32).toString('base64url') },
      { code_verifier: '' },
      { code_verifier: challenge },
    ];
    for (const changes of attempts)
      expect([changes, (await exchange(clientId, code, changes)).body.error]).toEqual([
        changes,
        'invalid_grant',
      ]);
    expect((await exchange(clientId, code, { resource: 'https://other.example/mcp' })).body.error).toBe(
      'invalid_target',
    );
    expect((await exchange(clientId, code, { resource: `${backend.console.url}/mcp` })).status).toBe(200);
  });

  test('expires', async () => {
    const clientId = await newClient('Slow');
    const code = await approve(dev, clientId);
    await db().query(sql`update _plinth.agent_grants set code_expires_at = now() where client_name = 'Slow'`);
    expect((await exchange(clientId, code)).status).toBe(400);
  });
});

describe('tokens', () => {
  test('are stored as hashes, and listed without them', async () => {
    const { access, refresh: token } = await connect(dev, 'Hashed');
    const [row] = await db().query<{ text: string }>(sql`
      select string_agg(t::text, '') || (select string_agg(g::text, '') from _plinth.agent_grants g) as text
      from _plinth.agent_tokens t`);
    expect(row?.text).not.toContain(access);
    expect(row?.text).not.toContain(token);
    const listed = (await dev.call('GET', '/agents')).body.agents as Json[];
    expect(listed.find(({ name }) => name === 'Hashed')).toMatchObject({
      operatorName: 'dev',
      destination: '127.0.0.1:7777',
      role: 'read-only',
      isReadOnly: true,
    });
  });

  test('work only for MCP, and only from programs', async () => {
    const { access, refresh: token } = await connect(dev, 'Confined');
    const authorization = `Bearer ${access}`;
    expect((await backend.console.fetch('/v1/projects', { headers: { authorization } })).status).toBe(401);
    const fromPage = { authorization, origin: 'https://evil.example' };
    expect((await backend.console.fetch('/mcp', { method: 'POST', headers: fromPage })).status).toBe(403);
    expect(await tools(token)).toBe(401);
  });

  test('lose permissions with their operator', async () => {
    await backend.operators.createOperator('mover', 'developer');
    const mover = await operator(backend, 'mover');
    const {
      access,
      clientId,
      refresh: token,
    } = await connect(mover, 'Moved', {
      role: 'developer',
      allowsChanges: true,
      lifetimeDays: 1,
    });
    expect(await tools(access)).toContain('apply_migration');
    expect(await tools(access, '?read_only=true')).not.toContain('apply_migration');
    await db().query(sql`update _plinth.operators set role = 'read-only' where name = 'mover'`);
    expect(await tools(access, '?read_only=false')).not.toContain('apply_migration');
    const { agents } = (await mover.call('GET', '/agents')).body;
    expect(agents).toMatchObject([{ role: 'read-only', isReadOnly: true }]);
    await db().query(sql`delete from _plinth.operators where name = 'mover'`);
    expect(await tools(access)).toBe(401);
    expect((await refresh(clientId, token)).status).toBe(400);
  });

  test('are rotated, and a reused refresh token ends the access', async () => {
    const { clientId, refresh: first } = await connect(dev, 'Rotated');
    const second = await refresh(clientId, first);
    expect(second.status).toBe(200);
    // Programs that share stored tokens can refresh them at the same time.
    const shared = await refresh(clientId, first);
    expect(shared.status).toBe(200);
    expect(await tools(second.body.access_token)).toContain('list_tables');
    await db().query(sql`
      update _plinth.agent_tokens set replaced_at = replaced_at - interval '1 minute' where replaced_at is not null`);
    expect((await refresh(clientId, first)).body.error).toBe('invalid_grant');
    for (const { body } of [second, shared]) {
      expect(await tools(body.access_token)).toBe(401);
      expect((await refresh(clientId, body.refresh_token)).status).toBe(400);
    }
    const [entry] = await db().query<{ detail: Json }>(sql`
      select detail from _plinth.audit_log where action = 'agent.revoke' and target = 'Rotated'`);
    expect(entry?.detail).toEqual({ operator: 'dev', reason: 'its refresh token was used twice' });
  });

  test('can’t be refreshed or revoked by another client', async () => {
    const { clientId, access, refresh: token } = await connect(dev, 'Own');
    const other = await newClient('Thief');
    expect((await refresh(other, token)).body.error).toBe('invalid_grant');
    expect((await form('/oauth/revoke', { token, client_id: other })).status).toBe(200);
    expect(await tools(access)).toContain('list_tables');
    expect((await form('/oauth/revoke', { token: access, client_id: clientId })).status).toBe(200);
    expect(await tools(access)).toBe(401);
    const next = await refresh(clientId, token);
    expect(next.status).toBe(200);
    expect(
      (await form('/oauth/revoke', { token: next.body.refresh_token, client_id: clientId })).status,
    ).toBe(200);
    expect(await tools(next.body.access_token)).toBe(401);
  });

  test('don’t outlive the approval', async () => {
    const { clientId, access, refresh: token } = await connect(dev, 'Ended');
    await db().query(sql`update _plinth.agent_grants set expires_at = now() where client_name = 'Ended'`);
    expect(await tools(access)).toBe(401);
    expect((await refresh(clientId, token)).status).toBe(400);
  });

  test('of other operators can be revoked only by owners', async () => {
    const { access } = await connect(dev, 'Shared');
    const idOf = async (by: Operator) =>
      ((await by.call('GET', '/agents')).body.agents as Json[]).find(({ name }) => name === 'Shared')?.id;
    expect(await idOf(looker)).toBeUndefined();
    const id = await idOf(owner);
    expect((await looker.call('DELETE', `/agents/${id}`)).status).toBe(404);
    expect((await owner.call('DELETE', `/agents/${id}`, undefined, { 'x-plinth-csrf': 'x' })).status).toBe(
      403,
    );
    expect((await owner.call('DELETE', `/agents/${id}`)).status).toBe(204);
    expect(await tools(access)).toBe(401);
    expect((await owner.call('DELETE', '/agents/unknown')).status).toBe(404);
  });
});

describe('the endpoints', () => {
  test.each(['/oauth/token', '/oauth/register', '/oauth/revoke'])('%s rejects web pages', async (path) => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: backend.console.url },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const type = path === '/oauth/register' ? 'application/json' : 'application/x-www-form-urlencoded';
      expect((await post(path, '{}', type, headers)).status).toBe(403);
    }
  });

  test('reject other types, repeated parameters and other grant types', async () => {
    expect((await post('/oauth/token', '{}', 'text/plain')).status).toBe(415);
    expect((await post('/oauth/token', '{}', 'application/json')).status).toBe(400);
    const twice = await post('/oauth/token', 'code=a&code=b', 'application/x-www-form-urlencoded');
    expect([twice.status, ((await twice.json()) as Json).error]).toEqual([400, 'invalid_request']);
    expect((await form('/oauth/token', { grant_type: 'password' })).body.error).toBe(
      'unsupported_grant_type',
    );
    expect((await backend.console.fetch('/oauth/unknown')).status).toBe(404);
  });

  test('limit guesses, but not valid requests', async () => {
    const { clientId, refresh: token } = await connect(dev, 'Patient');
    const statuses: number[] = [];
    const address = { 'x-forwarded-for': '198.51.100.1' };
    for (let n = 0; n < 12; n++) statuses.push((await refresh(clientId, `plinth_rt_${n}`, address)).status);
    expect(statuses).toContain(429);
    const { body, status } = await refresh(clientId, token, address);
    expect(status).toBe(200);

    const revoke = (guess: string) => form('/oauth/revoke', { token: guess, client_id: clientId }, address);
    expect((await revoke('plinth_rt_unknown')).status).toBe(429);
    expect((await revoke(body.access_token)).status).toBe(200);
  });
});
