/** Tests the Management API: access tokens, functions, secrets, and rejected requests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Backend, operator } from './harness.ts';

const entry = 'supabase/functions/hello/index.ts';
const helloSource = (text: string): string =>
  `import { shared } from '../_shared/text.ts';
   Deno.serve(() => new Response(\`${text} \${shared} \${Deno.env.get('GREETING') ?? 'unset'}\`));`;

let projectDir: string;
let backend: Backend;
let ref: string;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-management-'));
  mkdirSync(join(projectDir, 'supabase/functions/local'), { recursive: true });
  writeFileSync(
    join(projectDir, 'supabase/functions/local/index.ts'),
    `Deno.serve(() => new Response('from the project folder'));`,
  );
  backend = await createTestBackend({ projectDir, config: {} });
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  for (const name of ['owner', 'dev', 'looker']) {
    if (name === 'owner') await backend.consoleLink();
    tokens[name] = (await backend.operators.tokens.create(`${name} token`, name, 3600)).token;
  }
  ref = (await call('GET', '/projects')).body[0].ref;
});
afterAll(async () => {
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

interface Sent {
  readonly as?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly body?: BodyInit;
}

async function call(method: string, path: string, { as = 'owner', headers, json, body }: Sent = {}) {
  const response = await backend.console.fetch(`/v1${path}`, {
    method,
    headers: {
      ...(tokens[as] === undefined ? {} : { authorization: `Bearer ${tokens[as]}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? (body === undefined ? {} : { body }) : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  const parsed: any = isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, text, body: parsed };
}

const of = (path: string): string => `/projects/${ref}${path}`;

function form(files: Record<string, string | Uint8Array<ArrayBuffer>>, metadata: object = {}): FormData {
  const sent = new FormData();
  sent.set('metadata', JSON.stringify({ entrypoint_path: entry, name: 'hello', ...metadata }));
  for (const [path, content] of Object.entries(files)) sent.append('file', new Blob([content]), path);
  return sent;
}

const hello = (text: string) => ({
  [entry]: helloSource(text),
  'supabase/functions/_shared/text.ts': `export const shared = 'shared';`,
});

const deploy = (
  files: Parameters<typeof form>[0],
  metadata?: object,
  sent: Sent = {},
  query = 'slug=hello',
) => call('POST', of(`/functions/deploy?${query}`), { ...sent, body: form(files, metadata) });

const invoke = async (slug: string): Promise<string> => {
  const response = await backend.fetch(`/functions/v1/${slug}`, {
    headers: { authorization: `Bearer ${backend.keys.anonKey}` },
  });
  return `${response.status} ${await response.text()}`;
};

const auditOf = async (action: string) =>
  await backend.database
    .pool('supabase_admin')
    .query<{ operator_name: string; target: string; detail: Record<string, unknown> }>(
      sql`select operator_name, target, detail from _plinth.audit_log where action = ${action} order by id`,
    );

test('the advisors return their findings by category, as for hosted projects', async () => {
  await backend.database.pool('postgres').exec('create table public.unprotected (id int)');
  const { body } = await call('GET', of('/advisors/security'), { as: 'looker' });
  expect(body.lints).toContainEqual(
    expect.objectContaining({ name: 'rls_disabled_in_public', level: 'ERROR', categories: ['SECURITY'] }),
  );
  const performance = await call('GET', of('/advisors/performance'));
  expect(performance.body.lints.map(({ name }: { name: string }) => name)).toContain('no_primary_key');
  expect((await call('GET', of('/advisors/security'), { as: 'unknown' })).status).toBe(401);
});

test('types are generated for the schemas, also for read-only operators', async () => {
  await backend.database
    .pool('postgres')
    .exec('create schema other; create table other.things (label text); create table public.typed (id int)');
  const { body } = await call('GET', of('/types/typescript?included_schemas=public,other'), { as: 'looker' });
  expect(body.types).toContain('label: string | null');
  expect(body.types).toContain('typed: {');
  expect((await call('GET', of('/types/typescript'))).body.types).not.toContain('label: string');
  expect((await call('GET', of('/types/typescript'), { as: 'unknown' })).status).toBe(401);
});

describe('an access token', () => {
  test('is stored only as a hash, belongs to an operator and is recorded', async () => {
    const [stored] = await backend.database
      .pool('supabase_admin')
      .query<{ row: string }>(sql`select string_agg(t::text, ' ') as row from _plinth.operator_tokens t`);
    for (const token of Object.values(tokens)) {
      expect(token).toMatch(/^sbp_[0-9a-f]{40}$/);
      expect(stored?.row).not.toContain(token.slice(4));
    }
    const list = await backend.operators.tokens.list();
    expect(list.map(({ name, role }) => [name, role])).toContainEqual(['looker token', 'read-only']);
    expect(JSON.stringify(await auditOf('token.create'))).not.toContain(tokens.owner?.slice(4));
    expect((await auditOf('token.create')).map(({ target }) => target)).toContain('dev token');
  });

  test('shows when it was last used', async () => {
    await backend.operators.tokens.create('idle', 'dev', 3600);
    const lastUse = async (name: string) =>
      (await backend.operators.tokens.list()).find((token) => token.name === name)?.last_used_at;
    expect(await lastUse('idle')).toBeNull();
    expect(await lastUse('owner token')).not.toBeNull();
  });

  test('is rejected after it was revoked or has expired', async () => {
    const revoked = await backend.operators.tokens.create('revoked', 'dev', null);
    const headers = { authorization: `Bearer ${revoked.token}` };
    expect((await call('GET', '/projects', { as: 'stranger', headers })).status).toBe(200);
    await backend.operators.tokens.revoke('revoked', undefined);
    const response = await call('GET', '/projects', { as: 'stranger', headers });
    expect([response.status, response.body]).toEqual([401, { message: 'Unauthorized' }]);
    await expect(backend.operators.tokens.revoke('revoked', undefined)).rejects.toThrow("doesn't exist");

    const expired = await backend.operators.tokens.create('expired', 'dev', 3600);
    await backend.database
      .pool('supabase_admin')
      .query(sql`update _plinth.operator_tokens set expires_at = now() where name = 'expired'`);
    const late = await call('GET', '/projects', {
      as: 'stranger',
      headers: { authorization: `Bearer ${expired.token}` },
    });
    expect([late.status, late.body.message]).toEqual([401, expect.stringContaining('has expired')]);
  });

  test('is deleted with its operator, and has the operator’s current role', async () => {
    await backend.operators.createOperator('temp', 'developer');
    const { token } = await backend.operators.tokens.create('temp', 'temp', 3600);
    const headers = { authorization: `Bearer ${token}` };
    const owner = await operator(backend);
    const { body } = await owner.call('GET', '/operators');
    const { id } = body.operators.find(({ name }: { name: string }) => name === 'temp');
    const set = () =>
      call('POST', of('/secrets'), { as: 'stranger', headers, json: [{ name: 'ROLE', value: 'x' }] });
    expect((await set()).status).toBe(201);
    await owner.call('PATCH', `/operators/${id}`, { role: 'read-only' });
    expect((await set()).status).toBe(403);
    await owner.call('DELETE', `/operators/${id}`);
    expect((await set()).status).toBe(401);
    await call('DELETE', of('/secrets'), { json: ['ROLE'] });
  });

  test('has a name that is unique for its operator', async () => {
    await expect(backend.operators.tokens.create('dev token', 'dev', null)).rejects.toThrow('already has');
    await expect(backend.operators.tokens.create('x', 'missing', null)).rejects.toThrow("doesn't exist");
    await backend.operators.tokens.create('dev token', 'owner', null);
    await expect(backend.operators.tokens.revoke('dev token', undefined)).rejects.toThrow('--operator');
    await backend.operators.tokens.revoke('dev token', 'owner');
  });
});

describe('the project', () => {
  test('has the fields that the upstream CLI requires', async () => {
    expect(ref).toMatch(/^[a-z]{20}$/);
    expect((await call('GET', of(''))).body).toMatchObject({
      id: ref,
      ref,
      name: expect.any(String),
      status: 'ACTIVE_HEALTHY',
      database: { postgres_engine: '18', release_channel: 'ga' },
    });
    const other = await call('GET', `/projects/${'a'.repeat(20)}`);
    expect([other.status, other.body]).toEqual([404, { message: 'Project not found' }]);
    expect((await call('GET', of('/snippets'))).body).toEqual({ message: 'Not Found' });
  });

  test('reveals its secret keys only to owners, with an audit entry', async () => {
    const keysFor = async (as: string, reveal: boolean) =>
      Object.fromEntries(
        (await call('GET', of(`/api-keys?reveal=${reveal}`), { as })).body.map(
          ({ id, api_key }: { id: string; api_key: string | null }) => [id, api_key],
        ),
      );
    const { anonKey, publishableKey, serviceRoleKey, secretKey } = backend.keys;
    const open = { anon: anonKey, publishable: publishableKey };
    expect(await keysFor('owner', true)).toEqual({
      ...open,
      service_role: serviceRoleKey,
      secret: secretKey,
    });
    expect((await auditOf('key.reveal')).length).toBe(1);
    for (const [as, reveal] of [
      ['owner', false],
      ['dev', true],
      ['looker', true],
    ] as const)
      expect(await keysFor(as, reveal)).toEqual({ ...open, service_role: null, secret: null });
    expect((await auditOf('key.reveal')).length).toBe(1);
  });
});

describe('a function', () => {
  test('is deployed, served, replaced and deleted', async () => {
    expect((await invoke('hello')).slice(0, 3)).toBe('404');
    const first = await deploy(hello('one'), { verify_jwt: true }, { as: 'dev' });
    expect([first.status, first.body]).toEqual([
      201,
      expect.objectContaining({
        slug: 'hello',
        name: 'hello',
        status: 'ACTIVE',
        version: 1,
        verify_jwt: true,
        import_map: false,
        entrypoint_path: `file:///source/${entry}`,
        source: 'deployed',
      }),
    ]);
    expect(await invoke('hello')).toBe('200 one shared unset');
    const second = await deploy(hello('two'));
    expect(second.body).toMatchObject({ version: 2, id: first.body.id, created_at: first.body.created_at });
    expect(await invoke('hello')).toBe('200 two shared unset');
    expect((await call('GET', of('/functions/hello'), { as: 'looker' })).body).toEqual(second.body);

    const [entryOfLog] = await auditOf('function.deploy');
    expect(entryOfLog).toMatchObject({
      operator_name: 'dev',
      target: 'hello',
      detail: { token: 'dev token' },
    });
    expect((await call('DELETE', of('/functions/hello'))).body).toEqual({ message: 'ok' });
    expect((await invoke('hello')).slice(0, 3)).toBe('404');
    const missing = await call('DELETE', of('/functions/hello'));
    expect([missing.status, missing.body]).toEqual([404, { message: 'Function not found' }]);
  });

  test('can be changed without its files, which can be downloaded', async () => {
    await deploy({ ...hello('three'), 'supabase/functions/hello/ä b.json': '{}' });
    const changed = await call('PATCH', of('/functions/hello'), { json: { verify_jwt: false, name: 'Hi' } });
    expect(changed.body).toMatchObject({ verify_jwt: false, name: 'Hi', version: 2 });
    expect((await backend.fetch('/functions/v1/hello')).status).toBe(200);
    const response = await backend.console.fetch(`/v1${of('/functions/hello/body')}`, {
      headers: { authorization: `Bearer ${tokens.looker}`, accept: 'multipart/form-data' },
    });
    const received = await response.formData();
    expect(JSON.parse(String(received.get('metadata')))).toEqual({ deno2_entrypoint_path: entry });
    const files = received.getAll('file').map((file) => (file as File).name);
    expect(files.sort()).toEqual(
      ['supabase/functions/_shared/text.ts', 'supabase/functions/hello/ä b.json', entry].sort(),
    );
    await call('DELETE', of('/functions/hello'));
  });

  test('can be created from a single text, as upstream’s API allows', async () => {
    const body = `Deno.serve(() => new Response('single'));`;
    const json = { slug: 'single', name: 'single', body };
    expect((await call('POST', of('/functions'), { json })).status).toBe(201);
    expect((await call('POST', of('/functions'), { json })).body.message).toContain(
      'Duplicated function slug',
    );
    expect(await invoke('single')).toBe('200 single');
    await call('PATCH', of('/functions/single'), { json: { body: body.replace('single', 'double') } });
    expect(await invoke('single')).toBe('200 double');
    await call('DELETE', of('/functions/single'));
  });

  test('can be staged, and then served together with others', async () => {
    const staged = await Promise.all(
      ['one', 'two'].map(async (slug) => {
        const response = await deploy(hello(slug), { name: slug }, {}, `slug=${slug}&bundleOnly=true`);
        return response.body as { slug: string; version: number };
      }),
    );
    expect((await invoke('one')).slice(0, 3)).toBe('404');
    const wrong = await call('PUT', of('/functions'), { json: [staged[0], { ...staged[1], version: 9 }] });
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('Version 9 of two')]);
    expect((await invoke('one')).slice(0, 3)).toBe('404');
    const response = await call('PUT', of('/functions'), { json: staged });
    expect(response.body.functions.map(({ slug }: { slug: string }) => slug)).toEqual(['one', 'two']);
    expect(await invoke('one')).toBe('200 one shared unset');
    expect(await invoke('two')).toBe('200 two shared unset');
    // The same function with two versions would lose the files of the version that stays active.
    const { body: next } = await deploy(hello('one'), { name: 'one' }, {}, 'slug=one&bundleOnly=true');
    const twice = await call('PUT', of('/functions'), { json: [next, staged[0]] });
    expect([twice.status, twice.body.message]).toEqual([400, 'one is listed with two versions.']);
    expect(await invoke('one')).toBe('200 one shared unset');
    for (const slug of ['one', 'two']) await call('DELETE', of(`/functions/${slug}`));
    const revived = await call('PUT', of('/functions'), { json: [next] });
    expect([revived.status, revived.body.message]).toEqual([400, expect.stringContaining("isn't stored")]);
    expect((await invoke('one')).slice(0, 3)).toBe('404');
    // After a removal, the numbers start again, so the ID and the hash decide which deployment a version is from.
    const { body: first } = await deploy(hello('one'), { name: 'one' }, {}, 'slug=one&bundleOnly=true');
    await call('DELETE', of('/functions/one'));
    const { body: second } = await deploy(hello('two'), { name: 'one' }, {}, 'slug=one&bundleOnly=true');
    expect(second.version).toBe(first.version);
    for (const json of [first, { ...second, id: first.id }, { ...second, ezbr_sha256: first.ezbr_sha256 }]) {
      const confused = await call('PUT', of('/functions'), { json: [json] });
      expect([confused.status, confused.body.message]).toEqual([
        400,
        expect.stringContaining('Version 1 of one is from another deployment'),
      ]);
    }
    expect((await invoke('one')).slice(0, 3)).toBe('404');
    const { id: _id, ...anonymous } = second;
    expect((await call('PUT', of('/functions'), { json: [anonymous] })).status).toBe(400);
    expect((await call('DELETE', of('/functions/one'))).status).toBe(200);
    expect((await call('DELETE', of('/functions/one'))).status).toBe(404);
  });

  test('takes precedence over the project folder until it is deleted', async () => {
    expect(await invoke('local')).toBe('200 from the project folder');
    const listed = async () =>
      (await call('GET', of('/functions'))).body.map(
        ({ slug, source }: { slug: string; source: string }) => `${slug}: ${source}`,
      );
    expect(await listed()).toEqual(['local: project folder']);
    const refused = await call('DELETE', of('/functions/local'));
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('project folder')]);
    await deploy(hello('deployed'), { name: 'local' }, {}, 'slug=local');
    expect(await invoke('local')).toBe('200 deployed shared unset');
    expect(await listed()).toEqual(['local: deployed']);
    const owner = await operator(backend);
    expect((await owner.call('GET', '/functions/local')).body).toMatchObject({
      deployedVersion: 1,
      entrypoint: entry,
    });
    await call('DELETE', of('/functions/local'));
    expect(await invoke('local')).toBe('200 from the project folder');
    expect((await owner.call('GET', '/functions/local')).body.deployedVersion).toBeNull();
  });

  test('finishes its requests when it is replaced', async () => {
    const slow = (text: string) => ({
      [entry]: `Deno.serve(async (request) => {
        if (request.method === 'POST') await request.text();
        return new Response('${text}');
      });`,
    });
    await deploy(slow('old'));
    expect(await invoke('hello')).toBe('200 old');
    let finish = (): void => undefined;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(100_000));
        finish = () => controller.close();
      },
    });
    const pending = backend.fetch('/functions/v1/hello', {
      method: 'POST',
      headers: { authorization: `Bearer ${backend.keys.anonKey}` },
      body,
      duplex: 'half',
    } as RequestInit);
    const owner = await operator(backend);
    await expect
      .poll(async () => (await owner.call('GET', '/functions/hello')).body.pending, { timeout: 20_000 })
      .toBe(1);
    await deploy(slow('new'));
    expect(await invoke('hello')).toBe('200 new');
    finish();
    expect(await (await pending).text()).toBe('old');
    await call('DELETE', of('/functions/hello'));
  });

  test('can have a deno.json, whose folders for packages aren’t created', async () => {
    const config = { imports: { text: '../_shared/text.ts' }, vendor: true, nodeModulesDir: 'auto' };
    await deploy(
      {
        ...hello('unused'),
        [entry]: `import { shared } from 'text';
          Deno.serve(() => {
            const names = [...Deno.readDirSync(new URL('.', import.meta.url))].map(({ name }) => name).sort();
            return Response.json({ shared, names });
          });`,
        'supabase/functions/hello/deno.json': JSON.stringify(config),
      },
      { import_map_path: 'supabase/functions/hello/deno.json' },
    );
    expect(JSON.parse((await invoke('hello')).slice(4))).toEqual({
      shared: 'shared',
      names: ['deno.json', 'index.ts'],
    });
    await call('DELETE', of('/functions/hello'));
  });

  test('can’t import files that weren’t deployed with it, not even code', async () => {
    const outside = join(projectDir, 'supabase/functions/local/index.ts');
    writeFileSync(join(projectDir, 'secret.ts'), `export default 'secret';`);
    for (const path of [outside, join(projectDir, 'secret.ts')]) {
      await deploy({ [entry]: `import 'file://${path}'; Deno.serve(() => new Response('imported'));` });
      expect((await invoke('hello')).slice(0, 3)).toBe('503');
    }
    await deploy({
      [entry]: `Deno.serve(async () => {
        const tries = [
          () => Deno.readTextFile('${outside}'),
          () => import(['file:', '${join(projectDir, 'secret.ts')}'].join('//')),
          () => Deno.readTextFile(new URL('./own.txt', import.meta.url)),
        ];
        const results = [];
        for (const attempt of tries) results.push(await attempt().then(() => 'ok', (error) => error.name));
        return Response.json(results);
      });`,
      'supabase/functions/hello/own.txt': 'own',
    });
    const [outsideFile, outsideCode, own] = JSON.parse((await invoke('hello')).slice(4));
    // A path below /tmp leads to the function's own temporary folder, which doesn't contain this file.
    expect(outsideFile).toBe(outside.startsWith('/tmp/') ? 'NotFound' : 'NotCapable');
    expect(outsideCode).not.toBe('ok');
    expect(own).toBe('ok');
    await call('DELETE', of('/functions/hello'));
  });
});

describe('secrets', () => {
  test('are available to functions without a restart, listed as hashes and stored encrypted', async () => {
    await deploy(hello('say'));
    expect(await invoke('hello')).toBe('200 say shared unset');
    const json = [
      { name: 'GREETING', value: 'a-very-secret-value' },
      { name: 'OTHER', value: 'x' },
    ];
    const set = await call('POST', of('/secrets'), { as: 'dev', json });
    expect([set.status, set.text]).toEqual([201, '']);
    expect(await invoke('hello')).toBe('200 say shared a-very-secret-value');
    const list = await call('GET', of('/secrets'), { as: 'dev' });
    expect(list.body).toEqual([
      { name: 'GREETING', value: expect.stringMatching(/^[0-9a-f]{64}$/), updated_at: expect.any(String) },
      { name: 'OTHER', value: expect.any(String), updated_at: expect.any(String) },
    ]);
    const seen = await call('GET', of('/secrets'), { as: 'looker' });
    expect(seen.body.map(({ value }: { value: string }) => value)).toEqual(['', '']);
    expect(JSON.stringify(await auditOf('secret.set'))).not.toContain('a-very-secret-value');
    expect((await auditOf('secret.set')).map(({ target }) => target)).toContain('GREETING');
    const unset = await call('DELETE', of('/secrets'), { json: ['GREETING', 'OTHER', 'UNKNOWN'] });
    expect(unset.status).toBe(200);
    expect(await invoke('hello')).toBe('200 say shared unset');
    expect((await call('GET', of('/secrets'))).body).toEqual([]);
    await call('DELETE', of('/functions/hello'));
  });

  test.each<[string, unknown, string]>([
    ['with a reserved name', [{ name: 'SUPABASE_URL', value: 'x' }], 'SUPABASE_'],
    ['that load native code', [{ name: 'LD_PRELOAD', value: '/x.so' }], "can't be a secret"],
    ['with a space in the name', [{ name: 'A B', value: 'x' }], 'letters, digits'],
    ['that are too long', [{ name: 'A', value: 'x'.repeat(24_577) }], '24 KiB'],
    [
      'with a good and a bad name',
      [
        { name: 'GOOD', value: 'x' },
        { name: '', value: 'x' },
      ],
      'letters, digits',
    ],
    ['that aren’t a list', { A: 'x' }, 'secrets'],
    ['without a value', [{ name: 'A' }], 'value'],
  ])('%s are rejected', async (_what, json, reason) => {
    const response = await call('POST', of('/secrets'), { json });
    expect([response.status, response.body.message]).toEqual([400, expect.stringContaining(reason)]);
    expect((await call('GET', of('/secrets'))).body).toEqual([]);
  });
});

describe('an upload is rejected', () => {
  const large = new Uint8Array(21 * 1024 * 1024);
  test.each<[string, Record<string, string | Uint8Array<ArrayBuffer>>, object, string, number, string]>([
    [
      'with a path to a parent folder',
      { [entry]: 'x', '../../evil.ts': 'x' },
      {},
      'slug=hello',
      400,
      "isn't allowed",
    ],
    ['with an absolute path', { [entry]: 'x', '/etc/evil': 'x' }, {}, 'slug=hello', 400, "isn't allowed"],
    ['with a path of Windows', { [entry]: 'x', 'C:\\evil': 'x' }, {}, 'slug=hello', 400, "isn't allowed"],
    [
      'with a file below a file',
      { [entry]: 'x', [`${entry}/x`]: 'x' },
      {},
      'slug=hello',
      400,
      'used as a folder',
    ],
    ['with the same path twice', { [entry]: 'x', [`./${entry}`]: 'x' }, {}, 'slug=hello', 400, 'same path'],
    ['without its entrypoint', { 'a.ts': 'x' }, {}, 'slug=hello', 400, 'entrypoint_path'],
    [
      'with an entrypoint outside',
      { [entry]: 'x' },
      { entrypoint_path: '../x.ts' },
      'slug=hello',
      400,
      "isn't allowed",
    ],
    [
      'without its import map',
      { [entry]: 'x' },
      { import_map_path: 'no.json' },
      'slug=hello',
      400,
      'import_map_path',
    ],
    ['with a name that leaves the folder', { [entry]: 'x' }, {}, 'slug=..%2Fx', 400, 'Invalid Function name'],
    ['with a name that begins with a digit', { [entry]: 'x' }, {}, 'slug=1x', 400, 'Invalid Function name'],
    ['with too many bytes', { [entry]: 'x', 'a.bin': large }, {}, 'slug=hello', 413, '20 MiB'],
    [
      'with too many files',
      Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}.ts`, 'x'])),
      {},
      'slug=hello',
      413,
      '1000 files',
    ],
  ])('%s', async (_what, files, metadata, query, status, reason) => {
    const response = await deploy(files, metadata, {}, query);
    expect([response.status, response.body.message]).toEqual([status, expect.stringContaining(reason)]);
    expect((await call('GET', of('/functions'))).body).toHaveLength(1);
  });

  test('if it isn’t a form, or is a bundle', async () => {
    const path = of('/functions/deploy?slug=hello');
    expect((await call('POST', path, { json: { a: 1 } })).status).toBe(415);
    const headers = { 'content-type': 'multipart/form-data' };
    expect((await call('POST', path, { headers, body: 'x' })).status).toBe(400);
    const incomplete = { 'content-type': 'multipart/form-data; boundary=b' };
    expect((await call('POST', path, { headers: incomplete, body: '--b\r\n' })).status).toBe(400);
    const eszip = { 'content-type': 'application/vnd.denoland.eszip' };
    const bundle = await call('POST', of('/functions?slug=hello&name=hello'), {
      headers: eszip,
      body: 'EZBR',
    });
    expect([bundle.status, bundle.body.message]).toEqual([400, expect.stringContaining('--use-api')]);
  });
});

describe('a request is rejected', () => {
  const routes = async () =>
    (await backend.console.routes())
      .filter(({ path, method }) => path.startsWith('/v1/') && method !== '*')
      .map(({ method, path }) => ({
        method,
        path: path.slice(3).replace(':ref', ref).replace(':slug', 'local'),
      }));

  test('on every route without a valid token', async () => {
    expect((await routes()).length).toBeGreaterThan(10);
    const session = await operator(backend);
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Bearer' },
      { authorization: `Bearer ${tokens.owner}0` },
      { authorization: `Basic ${tokens.owner}` },
      { apikey: tokens.owner ?? '' },
      { authorization: `Bearer ${backend.keys.serviceRoleKey}` },
      { authorization: `Bearer ${backend.keys.secretKey}` },
      { cookie: session.cookie, 'x-plinth-csrf': session.csrfToken },
    ];
    for (const { method, path } of await routes())
      for (const headers of wrong) {
        const response = await call(method, path, { as: 'stranger', headers });
        expect([method, path, headers, response.status]).toEqual([method, path, headers, 401]);
        expect(response.body).toEqual({ message: 'Unauthorized' });
      }
  });

  test('on every route from a web page, even of the Console', async () => {
    const origins = [
      'https://evil.example',
      'null',
      new URL(backend.url).origin,
      new URL(backend.console.url).origin,
    ];
    for (const { method, path } of await routes())
      for (const origin of origins) {
        const response = await call(method, path, { headers: { origin } });
        expect([method, path, origin, response.status]).toEqual([method, path, origin, 403]);
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
  });

  test('on every route that changes something, with a read-only role', async () => {
    // Queries of read-only operators run read-only.
    const changes = (await routes()).filter(
      ({ method, path }) => method !== 'GET' && !path.includes('/database/query'),
    );
    expect(changes.length).toBeGreaterThan(6);
    for (const { method, path } of changes) {
      const response = await call(method, path, {
        as: 'looker',
        ...(method === 'DELETE' ? {} : { json: {} }),
      });
      expect([method, path, response.status]).toEqual([method, path, 403]);
    }
  });

  test('before its body is read', async () => {
    const { hostname, port, host } = new URL(backend.console.url);
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        {
          hostname,
          port,
          method: 'POST',
          path: `/v1${of('/functions/deploy?slug=hello')}`,
          headers: {
            host,
            authorization: `Bearer ${tokens.looker}`,
            'content-type': 'multipart/form-data; boundary=b',
            'content-length': String(10 * 1024 * 1024 * 1024),
          },
        },
        (response) => {
          resolve(response.statusCode);
          sent.destroy();
        },
      );
      sent.on('error', reject);
      sent.write('--b\r\n');
    });
    expect(status).toBe(403);
  });

  test('from an address that tries many tokens', async () => {
    const guess = (index: number) =>
      call('GET', '/projects', {
        as: 'stranger',
        headers: { authorization: `Bearer sbp_${String(index).padStart(40, '0')}` },
      });
    const statuses: number[] = [];
    for (let index = 0; index < 20; index++) statuses.push((await guess(index)).status);
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    // Another machine behind the same NAT has the same address.
    expect((await call('GET', '/projects')).status).toBe(200);
  });
});

test("a read-only operator's copy of a function has no keys, and its other bytes are the same", async () => {
  const { secretKey } = backend.keys;
  const bytes = Uint8Array.from([0xff, 0xfe, 0x00, 0x80]);
  const files = { [entry]: `// ${secretKey}\n${helloSource('ü')}`, 'supabase/functions/hello/a.bin': bytes };
  expect((await deploy(files, {}, {}, 'slug=copied')).status).toBe(201);
  const body = async (as: string) =>
    (await call('GET', of('/functions/copied/body'), { as })).text.replaceAll(/plinth-[\w-]+/g, 'boundary');
  const [whole, masked] = [await body('dev'), await body('looker')];
  expect(whole).toContain(secretKey);
  expect(masked).toBe(whole.replaceAll(secretKey, '[secret key]'));
  await call('DELETE', of('/functions/copied'));
});
