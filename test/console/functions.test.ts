/** Tests functions in the Console's API: details, calls as any user, and live log lines. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { SourceFile } from '../../src/services/functions/index.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { markup, type ServicesBackend, startServicesBackend } from './services-backend.ts';

let services: ServicesBackend;
let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  services = await startServicesBackend();
  backend = services.backend;
  owner = await operator(backend);
});
afterAll(() => services?.stop());

const invoke = (slug: string, invocation: object) =>
  owner.call('POST', `/functions/${slug}/invoke`, { method: 'POST', ...invocation });
const lines = async (slug: string): Promise<{ line: string; level: string; requestId?: string }[]> =>
  (await owner.call('GET', `/functions/${slug}/logs`)).body.lines;

test('all functions are listed with their details, without secret values', async () => {
  const { body } = await owner.call('GET', '/functions');
  expect(body.functions.map(({ slug }: { slug: string }) => slug)).toEqual([
    'broken',
    'echo',
    'endless',
    'leaky',
    'noisy',
    'picture',
  ]);
  expect(body.functions[1]).toMatchObject({
    verifyJwt: true,
    entrypoint: 'functions/echo/index.ts',
    state: 'idle',
    secretNames: ['MAIL_KEY'],
    changedAt: expect.any(Number),
  });
  expect(JSON.stringify(body)).not.toContain('very-secret');
});

describe('a call', () => {
  test('sends method, path, headers and body, and returns the whole response', async () => {
    const { body } = await invoke('echo', {
      method: 'PUT',
      path: '/deep?x=1',
      headers: [['x-mine', 'yes']],
      body: '{"a":1}',
      as: 'anon',
    });
    expect(body).toMatchObject({ status: 201, isText: true, isCut: false });
    expect(body.headers).toContainEqual(['x-answer', 'yes']);
    expect(body.totalMs).toBeGreaterThanOrEqual(body.headMs);
    const echoed = JSON.parse(body.body);
    expect(echoed).toMatchObject({ method: 'PUT', url: '/echo/deep?x=1', body: '{"a":1}' });
    expect(echoed.headers).toMatchObject({ 'x-mine': 'yes', 'x-request-id': body.requestId });
    expect(echoed.headers.authorization).toBe(`Bearer ${backend.keys.anonKey}`);
    expect((await owner.call('GET', '/functions/echo')).body.state).toBe('running');
  });

  test('can be made as a user', async () => {
    const { body: user } = await owner.call('POST', '/users', {
      email: 'ada@example.com',
      password: 'a-Good-password-1',
    });
    const { body } = await invoke('echo', { as: `user:${user.id}` });
    const token = JSON.parse(body.body).headers.authorization.slice('Bearer '.length);
    const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({ sub: user.id, role: 'authenticated' });
    expect(claims.exp - claims.iat).toBe(300);
  });

  test('doesn’t show service credentials, wherever the function puts them', async () => {
    const { body } = await invoke('leaky', {});
    await expect
      .poll(async () => (await lines('leaky')).map(({ line }) => line))
      .toContain('[service_role key]');
    const shown = JSON.stringify([body, await lines('leaky')]);
    for (const secret of [backend.keys.serviceRoleKey, backend.keys.secretKey])
      expect(shown).not.toContain(secret);
    expect(JSON.parse(body.body).key).toBe('[service_role key]');
  });

  test('reads an endless response only up to the page’s limit', async () => {
    const { body } = await invoke('endless', {});
    expect(body).toMatchObject({ status: 200, isCut: true, sizeBytes: 512 * 1024 });
  });

  test('returns bytes as base64', async () => {
    const { body } = await invoke('picture', {});
    expect([body.isText, body.body]).toEqual([
      false,
      Buffer.from([137, 80, 78, 71, 0, 1, 2, 255]).toString('base64'),
    ]);
  });

  test('to a function that doesn’t start returns the server’s response and the reason', async () => {
    const { body } = await invoke('broken', {});
    expect([body.status, JSON.parse(body.body).code]).toEqual([503, 'BOOT_ERROR']);
    await expect
      .poll(async () => (await lines('broken')).map(({ line }) => line).join('\n'))
      .toContain('missing.ts');
  });

  test.each([
    [{ method: 'BREW' }],
    [{ path: 'x' }],
    [{ path: '/a b' }],
    [{ path: '/\r\nx: y' }],
    [{ headers: [['x y', '1']] }],
    [{ headers: [['x', '1\r\ny: 2']] }],
    [{ as: 'user:1' }],
  ])('with invalid input is rejected: %j', async (bad) => {
    expect((await invoke('echo', bad)).status).toBe(400);
  });

  test.each(['..', '%2e%2e', '../auth/v1/admin/users', markup])(
    'with an invalid name doesn’t reach a function: %s',
    async (slug) => {
      expect(
        (await owner.call('POST', `/functions/${encodeURIComponent(slug)}/invoke`, { method: 'GET' })).status,
      ).toBe(404);
    },
  );

  test.each([
    '/../../../auth/v1/admin/users',
    '/%2e%2e/%2E./../auth/v1/admin/users',
    '/..',
    '/../echo-other',
  ])('can’t leave the function’s path: %s', async (path) => {
    const { status, body } = await invoke('echo', { method: 'GET', path });
    expect([status, body.code]).toEqual([400, 'bad_request']);
  });
});

describe('log lines', () => {
  test('contain the level and the request', async () => {
    const { body } = await invoke('noisy', { body: `${markup}\nsecond` });
    await expect.poll(async () => (await lines('noisy')).length).toBeGreaterThanOrEqual(2);
    expect(await lines('noisy')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          line: `${markup}\nsecond`,
          level: 'info',
          requestId: body.requestId,
        }),
        expect.objectContaining({ line: 'to stderr', level: 'error', requestId: body.requestId }),
      ]),
    );
  });

  test('have the same level in the server log, and the failed request keeps its own level', async () => {
    mkdirSync(join(services.functionsDir, 'throws'));
    writeFileSync(
      join(services.functionsDir, 'throws', 'index.ts'),
      "Deno.serve(() => { throw new Error('out of paper'); });",
    );
    const { body } = await invoke('throws', {});
    expect(body.status).toBe(500);
    const levels = (all: { line?: string; message?: string; level: string }[]): string[] =>
      all
        .filter(({ line, message }) => (line ?? message ?? '').includes('out of paper'))
        .map(({ level }) => level);
    const logged = async () => (await owner.call('GET', `/logs/requests/${body.requestId}`)).body.entries;
    await expect.poll(async () => levels(await logged())).toEqual(['error']);
    expect(levels(await lines('throws'))).toEqual(['error']);
    expect(await logged()).toContainEqual(
      expect.objectContaining({ kind: 'request', service: 'functions', status: 500, level: 'warn' }),
    );
  });

  test('are streamed as they are printed, starting where the reader stopped', async () => {
    const stop = new AbortController();
    const known = (await owner.call('GET', '/functions/noisy/logs')).body.lines.at(-1)?.id ?? 0;
    const response = await backend.console.fetch('/console/api/functions/noisy/logs/live', {
      headers: { cookie: owner.cookie, 'last-event-id': String(known) },
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    await invoke('noisy', { body: 'live one' });
    let text = '';
    while (!text.includes('live one')) text += decoder.decode((await reader.read()).value, { stream: true });
    expect(text).toMatch(/^retry: \d+\n\n/);
    expect(text).toMatch(/id: \d+\ndata: \{"entries":\[.*"line":"live one".*\],"left":0\}\n\n/);
    stop.abort();
  });

  test('can be filtered by level, request and text', async () => {
    const { body: first } = await invoke('noisy', { body: 'Needle one' });
    await invoke('noisy', { body: 'needle two' });
    const found = async (query: string) =>
      (await owner.call('GET', `/functions/noisy/logs?${query}`)).body.lines.map(
        ({ line }: { line: string }) => line,
      );
    await expect.poll(() => found('search=NEEDLE')).toEqual(['Needle one', 'needle two']);
    await expect
      .poll(() => found(`requestId=${first.requestId}`))
      .toEqual(expect.arrayContaining(['Needle one', 'to stderr']));
    expect(new Set(await found('level=error'))).toEqual(new Set(['to stderr']));
    expect((await owner.call('GET', '/functions/noisy/logs?level=loud')).status).toBe(400);
  });

  test('are searched as they are displayed, so a search can’t find credentials', async () => {
    await invoke('leaky', {});
    const start = backend.keys.serviceRoleKey.slice(0, 12);
    const { body } = await owner.call('GET', `/functions/leaky/logs?search=${start}`);
    expect(body.lines).toEqual([]);
  });

  test('are only available to operators', async () => {
    expect((await backend.console.fetch('/console/api/functions/noisy/logs/live')).status).toBe(401);
  });
});

test('the latest calls are listed with their result and duration', async () => {
  const { body: response } = await invoke('echo', {
    method: 'GET',
    path: `/seen?key=${backend.keys.secretKey}`,
  });
  await expect
    .poll(async () => (await owner.call('GET', '/functions/echo/invocations?limit=1')).body.invocations[0])
    .toMatchObject({
      requestId: response.requestId,
      method: 'GET',
      path: '/echo/seen',
      status: 201,
      durationMs: expect.any(Number),
      cpuMs: expect.any(Number),
      memoryBytes: expect.any(Number),
    });
  expect((await owner.call('GET', '/functions/none/invocations')).status).toBe(404);
  expect((await backend.console.fetch('/console/api/functions/echo/invocations')).status).toBe(401);
});

describe('the code of a function', () => {
  const file = (slug: string, path: string, as: Operator = owner) =>
    as.call('GET', `/functions/${slug}/file?${new URLSearchParams({ path })}`);

  test('is listed and shown as it is on disk, without hidden files, links and other folders', async () => {
    const folder = join(services.functionsDir, 'echo');
    mkdirSync(join(folder, 'lib', 'node_modules'), { recursive: true });
    writeFileSync(join(folder, 'lib', 'tools.ts'), `export const key = '${backend.keys.secretKey}';`);
    writeFileSync(join(folder, 'lib', 'node_modules', 'x.js'), '');
    writeFileSync(join(folder, '.env'), 'TOKEN=very-secret');
    writeFileSync(join(folder, 'logo.png'), Buffer.from([137, 80, 0, 1]));
    writeFileSync(join(folder, 'long.txt'), 'x'.repeat(300_000));
    symlinkSync(join(services.functionsDir, '.env'), join(folder, 'linked.txt'));
    const { body } = await owner.call('GET', '/functions/echo/files');
    expect(body.files.map(({ path, isEntrypoint }: SourceFile) => [path, isEntrypoint])).toEqual([
      ['index.ts', true],
      ['lib/tools.ts', false],
      ['logo.png', false],
      ['long.txt', false],
    ]);
    const entrypoint = await file('echo', 'index.ts');
    expect(entrypoint.body).toMatchObject({ isText: true, isCut: false });
    expect(entrypoint.body.text).toContain('Deno.serve');
    expect((await file('echo', 'lib/tools.ts')).body.text).toBe(`export const key = '[secret key]';`);
    expect((await file('echo', 'logo.png')).body).toEqual({
      text: '',
      isText: false,
      isCut: false,
      revision: null,
    });
    expect((await file('echo', 'long.txt')).body).toMatchObject({ isCut: true });
    for (const path of ['.env', '../.env', 'linked.txt', '../noisy/index.ts', '/etc/passwd', 'lib/../.env'])
      expect([path, (await file('echo', path)).status]).toEqual([path, 404]);
    expect((await owner.call('GET', '/functions/unknown/files')).status).toBe(404);
    expect((await owner.call('GET', '/functions/..%2f..%2fx/files')).status).toBe(404);
  });
});

test('activity counts requests and errors per minute', async () => {
  await invoke('noisy', { body: 'x' });
  await invoke('broken', {});
  const sum = async (slug: string) => {
    const { minutes } = (await owner.call('GET', `/functions/${slug}/activity`)).body;
    expect(minutes).toHaveLength(60);
    const add = (name: 'requests' | 'errors'): number =>
      minutes.reduce((total: number, minute: Record<string, number>) => total + (minute[name] ?? 0), 0);
    return { requests: add('requests'), errors: add('errors') };
  };
  await expect.poll(() => sum('noisy')).toMatchObject({ errors: 0 });
  expect((await sum('noisy')).requests).toBeGreaterThan(0);
  const broken = await sum('broken');
  expect([broken.requests > 0, broken.errors]).toEqual([true, broken.requests]);
});

test('secrets can be set and removed, and their values are never returned', async () => {
  const value = 'a-value-that-stays-here';
  expect((await owner.call('POST', '/function-secrets', { name: 'STRIPE_KEY', value })).status).toBe(204);
  const { body } = await owner.call('GET', '/function-secrets');
  expect(body).toEqual({ secrets: [{ name: 'STRIPE_KEY', updatedAt: expect.any(String) }] });
  expect((await owner.call('GET', '/functions/echo')).body.secretNames).toContain('STRIPE_KEY');
  for (const name of ['SUPABASE_URL', 'LD_PRELOAD', '1x', 'a b'])
    expect([name, (await owner.call('POST', '/function-secrets', { name, value })).status]).toEqual([
      name,
      400,
    ]);
  await backend.operators.createOperator('secret-looker', 'read-only');
  const looker = await operator(backend, 'secret-looker');
  expect((await looker.call('POST', '/function-secrets', { name: 'X', value })).status).toBe(403);
  expect((await looker.call('DELETE', '/function-secrets/STRIPE_KEY')).status).toBe(403);
  expect((await owner.call('DELETE', '/function-secrets/STRIPE_KEY')).status).toBe(204);
  expect((await owner.call('DELETE', '/function-secrets/STRIPE_KEY')).status).toBe(404);
  const entries = await backend.database
    .pool('supabase_admin')
    .query<{ action: string; text: string }>(
      sql`select action, to_jsonb(a)::text as text from _plinth.audit_log a where action like 'secret.%' order by id`,
    );
  expect(entries.map(({ action }) => action)).toEqual(['secret.set', 'secret.unset']);
  expect(JSON.stringify(entries)).not.toContain(value);
});
