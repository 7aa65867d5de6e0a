/**
 * Tests the log of all services in the Console API: its content, the secrets that it must not contain, and its limits.
 */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let looker: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  looker = await operator(backend, 'looker');
});
afterAll(() => backend?.stop());

interface Entry {
  kind: string;
  service: string;
  message: string;
  requestId?: string;
  path?: string;
  query?: string;
  status?: number;
  role?: string;
  userId?: string;
  operator?: string;
  statements?: { text: string; durationMs: number; startMs: number; error?: string }[];
}

async function entries(params: Record<string, string>, by = looker): Promise<Entry[]> {
  const { status, body } = await by.call('GET', `/logs?${new URLSearchParams(params)}`);
  expect(status).toBe(200);
  return body.entries;
}

/** Waits for the log entry of a request and returns it. The entry is written when the response is complete. */
async function entryOf(requestId: string): Promise<Entry> {
  let found: Entry | undefined;
  await expect
    .poll(async () => {
      [found] = await entries({ requestId });
      return found;
    })
    .toBeDefined();
  return found as Entry;
}

const ask = (id: string, path: string, init: RequestInit = {}) =>
  backend.fetch(path, {
    ...init,
    headers: { apikey: backend.keys.publishableKey, 'x-request-id': id, ...init.headers },
  });

describe('a request', () => {
  test('to REST is logged with user, duration and statement, but without secrets from its query', async () => {
    const client = createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false },
    });
    const { data } = await client.auth.signUp({ email: 'log@example.com', password: 'a-Good-password-1' });
    const token = data.session?.access_token ?? '';
    await ask('rest-request-1', '/rest/v1/tasks?select=id&limit=1&apikey=sb_secret_leak', {
      headers: { authorization: `Bearer ${token}` },
    });
    const entry = await entryOf('rest-request-1');
    expect(entry).toMatchObject({
      kind: 'request',
      service: 'rest',
      path: '/rest/v1/tasks',
      role: 'authenticated',
      userId: data.user?.id,
    });
    expect(entry.query).toContain('apikey=…');
    if (entry.status === 200) expect(entry.statements?.[0]?.text).toContain('"tasks"');
    expect(JSON.stringify(entry)).not.toContain('sb_secret_leak');
    expect(JSON.stringify(entry)).not.toContain(token);
  });

  test('that PostgreSQL rejects is logged with the SQLSTATE', async () => {
    await ask('rest-request-2', '/rest/v1/frozen', {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: backend.keys.secretKey },
      body: JSON.stringify({ id: 1 }),
    });
    const { statements, role } = await entryOf('rest-request-2');
    expect(statements?.[0]?.error).toBe('23505');
    expect(role).toBe('service_role');
  });

  test('to auth is logged with its statements and log lines', async () => {
    const response = await ask('auth-request-1', '/auth/v1/otp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'someone@example.com' }),
    });
    expect(response.status).toBe(200);
    await entryOf('auth-request-1');
    const { body } = await looker.call('GET', '/logs/requests/auth-request-1');
    const trace: Entry[] = body.entries;
    expect(trace.map(({ kind, service }) => `${service} ${kind}`)).toEqual(['mail line', 'auth request']);
    const statements = trace.at(-1)?.statements ?? [];
    expect(statements.length).toBeGreaterThan(2);
    for (const { text, durationMs, startMs } of statements) {
      expect(text).not.toContain('someone@example.com');
      expect([durationMs >= 0, startMs >= 0]).toEqual([true, true]);
    }
  });

  test('from the Console is logged with its operator and its request to storage', async () => {
    const bucket = {
      name: 'logged',
      public: false,
      file_size_limit: null,
      allowed_mime_types: null,
    };
    await owner.call('POST', '/storage/buckets', bucket, { 'x-request-id': 'console-request-1' });
    await expect
      .poll(async () => (await entries({ requestId: 'console-request-1' })).map(({ service }) => service))
      .toEqual(['console', 'storage']);
    expect((await entries({ requestId: 'console-request-1', service: 'console' }))[0]?.operator).toBe(
      'owner',
    );
  });

  test('with a forged token is logged without a user', async () => {
    const forged = `${btoa('{"alg":"HS256","typ":"JWT"}')}.${btoa('{"sub":"mallory","role":"service_role"}')}.eA`;
    await ask('forged-request-1', '/auth/v1/settings', { headers: { authorization: `Bearer ${forged}` } });
    const entry = await entryOf('forged-request-1');
    expect([entry.userId, entry.role]).toEqual([undefined, undefined]);
  });
});

describe('the filter', () => {
  test('selects by status, class, path, service, level and text', async () => {
    await ask('filter-request-1', '/rest/v1/no_such_table?x=eq.findme');
    await entryOf('filter-request-1');
    const ids = async (params: Record<string, string>) =>
      (await entries({ ...params, limit: '500' })).map(({ requestId }) => requestId);
    const found: Record<string, string>[] = [
      { status: '4' },
      { status: '404' },
      { path: 'NO_SUCH' },
      { service: 'rest' },
      { search: 'findme' },
    ];
    for (const params of found)
      expect([params, await ids(params)]).toEqual([params, expect.arrayContaining(['filter-request-1'])]);
    const missed: Record<string, string>[] = [
      { status: '5' },
      { service: 'auth' },
      { level: 'error' },
      { until: '2000-01-01T00:00:00Z' },
    ];
    for (const params of missed)
      expect([params, (await ids(params)).includes('filter-request-1')]).toEqual([params, false]);
  });

  test('can’t find secrets that aren’t shown', async () => {
    const { secretKey } = backend.keys;
    await ask('filter-request-2', `/rest/v1/a-${secretKey}`);
    expect((await entryOf('filter-request-2')).path).toBe('/rest/v1/a-[secret key]');
    const part = secretKey.slice(0, 20);
    for (const name of ['search', 'path']) expect(await entries({ [name]: part })).toEqual([]);
    expect(await entries({ path: 'a-[secret' })).toHaveLength(1);
  });

  test.each(['status=9', 'level=loud', 'limit=0', 'cursor=x', 'since=yesterday'])(
    '%s is rejected',
    async (query) => {
      expect((await looker.call('GET', `/logs?${query}`)).status).toBe(400);
    },
  );

  test('pages contain each entry once', async () => {
    const all: string[] = [];
    let cursor: string | null = '';
    const until = new Date().toISOString();
    while (cursor !== null) {
      const params = new URLSearchParams({ limit: '3', until, ...(cursor ? { cursor } : {}) });
      const { body }: { body: { entries: Entry[]; next: string | null } } = await looker.call(
        'GET',
        `/logs?${params}`,
      );
      all.push(...body.entries.map((entry) => JSON.stringify(entry)));
      cursor = body.next;
    }
    expect(new Set(all).size).toBe(all.length);
    expect(all).toEqual((await entries({ limit: '500', until })).map((entry) => JSON.stringify(entry)));
  });
});

test('the live tail sends new entries that match the filter', async () => {
  const lines: string[] = [];
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) => {
    httpRequest(
      `${backend.console.url}/console/api/logs/tail?status=4`,
      { headers: { cookie: looker.cookie } },
      resolve,
    ).end();
  });
  expect(response.headers['content-type']).toBe('text/event-stream');
  response.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  await ask('tail-request-1', '/rest/v1/no_such_table');
  await ask('tail-request-2', '/auth/v1/settings');
  await ask('tail-request-3', '/rest/v1/no_such_table');
  await expect.poll(() => lines.join('')).toContain('tail-request-3');
  expect(lines.join('')).toContain('tail-request-1');
  expect(lines.join('')).not.toContain('tail-request-2');
  response.destroy();
});

test('the live tail ends when the operator signs out', async () => {
  await backend.operators.createOperator('leaver', 'read-only');
  const leaver = await operator(backend, 'leaver');
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) => {
    httpRequest(
      `${backend.console.url}/console/api/logs/tail`,
      { headers: { cookie: leaver.cookie } },
      resolve,
    ).end();
  });
  const ended = once(response.resume(), 'end');
  expect((await leaver.call('POST', '/sign-out')).status).toBe(204);
  await ended;
});

test('metrics contain requests, errors and durations of each service', async () => {
  const { body } = await looker.call('GET', '/metrics?minutes=60');
  const rest = body.services.find(({ service }: { service: string }) => service === 'rest');
  expect(rest.total.requests).toBeGreaterThan(2);
  expect(rest.total.refused).toBeGreaterThan(0);
  expect(rest.total.p50).toBeGreaterThan(0);
  expect(rest.total.p95).toBeGreaterThanOrEqual(rest.total.p50);
  expect(rest.points.length).toBeLessThanOrEqual(120);
  expect((await looker.call('GET', '/metrics?minutes=100000')).status).toBe(400);
});

describe('/metrics for Prometheus', () => {
  const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
  const secretToken = (claims: object): string => backend.keys.sign({ role: 'service_role', ...claims });

  test.each([
    ['the secret key', () => `Bearer ${backend.keys.secretKey}`],
    ['a service_role token', () => `Bearer ${backend.keys.serviceRoleKey}`],
  ])('accepts %s', async (_what, authorization) => {
    const response = await backend.fetch('/metrics', { headers: { authorization: authorization() } });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('plinth_requests_total{service="rest"');
  });

  test.each([
    ['no user', () => ''],
    ['the publishable key', () => `Bearer ${backend.keys.publishableKey}`],
    ['an anon token', () => `Bearer ${backend.keys.anonKey}`],
    ['nonsense', () => 'Bearer a.b.c'],
    ['an expired token', () => `Bearer ${secretToken({ exp: inSeconds(-1) })}`],
    [
      'a token that isn’t valid yet',
      () => `Bearer ${secretToken({ exp: inSeconds(120), nbf: inSeconds(60) })}`,
    ],
  ])('rejects %s', async (_what, authorization) => {
    expect((await backend.fetch('/metrics', { headers: { authorization: authorization() } })).status).toBe(
      401,
    );
  });
});
