/** Compares a running server with docs/compatibility.md, which lists missing and different behavior. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { missingExtensions, missingSentence } from '../../src/platform/database/extensions/missing.ts';
import { allowedExtensions, trustedContrib } from '../../src/platform/database/extensions/trusted.ts';
import { knownPacks } from '../../src/platform/packs/index.ts';
import { missingPack } from '../support/packs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Line breaks are replaced with spaces, so the assertions don't depend on how the text is wrapped. */
const page = readFileSync(`${root}docs/compatibility.md`, 'utf8').replace(/\s+/g, ' ');

/** Whether no package index can be reached from this machine. */
const lacksVector = (await missingPack('vector')) !== undefined;

let backend: Backend;

beforeAll(async () => {
  backend = await createTestBackend({ projectDir: `${root}examples/live-board` });
});

afterAll(async () => {
  await backend.stop();
});

async function ask(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await backend.fetch(path, {
    method,
    redirect: 'manual',
    headers: { apikey: backend.keys.secretKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

describe('missing features behave as the page describes', () => {
  it.each([
    ['Analytics and vector buckets', 'POST', '/storage/v1/vector/ListVectorBuckets', 403, 'not enabled'],
    ['SCIM', 'GET', '/auth/v1/scim/v2/Schemas', 404, 'feature_disabled'],
    ['Log service', 'GET', '/analytics/v1/logs', 404, 'Nothing is served'],
    ['postgres-meta', 'GET', '/pg/tables', 404, 'Nothing is served'],
    ["Realtime's tenant API", 'GET', '/realtime/v1/api/tenants', 404, 'Nothing is served'],
  ])('%s', async (words, method, path, status, said) => {
    expect(page).toContain(words);
    const response = await ask(method, path, method === 'POST' ? {} : undefined);
    expect(response).toMatchObject({ status });
    expect(response.text).toContain(said);
  });

  it.each(['postgis', 'plv8', 'timescaledb', 'wrappers'])(
    'the extension %s becomes a placeholder',
    async (name) => {
      expect(page).toContain(`\`${name}\``);
      const pool = backend.database.pool('postgres');
      await pool.query(sql`create extension ${sql.id(name)}`);
      expect(await pool.query(sql`select extversion from pg_extension where extname = ${name}`)).toEqual([
        { extversion: 'placeholder' },
      ]);
      expect(await pool.query(sql`select from pg_available_extensions where name = ${name}`)).toEqual([]);
    },
  );
});

describe('the table of extensions', () => {
  const text = readFileSync(`${root}docs/compatibility.md`, 'utf8');
  const start = text.indexOf('| Extension | Version | How | What differs |');
  const rows = text
    .slice(start, text.indexOf('\n\n', start))
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').slice(1, 4))
    .map(([names = '', version = '', how = '']) => ({
      names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
      versions: version.trim().split(', '),
      how: how.trim(),
    }));
  const rowOf = (name: string) => rows.find(({ names }) => names.includes(name));

  it('contains every extension of Plinth in its version', () => {
    const folder = `${root}src/platform/database/extensions/`;
    const own = readdirSync(folder).flatMap((file) => file.match(/^(.+)\.control$/)?.[1] ?? []);
    expect(own.length).toBeGreaterThan(10);
    for (const name of own) {
      const control = readFileSync(`${folder}${name}.control`, 'utf8');
      const row = rowOf(name);
      expect(row?.versions[row.versions.length === 1 ? 0 : row.names.indexOf(name)], name).toBe(
        control.match(/default_version = '(.+)'/)?.[1],
      );
      expect(row?.how, name).toMatch(/^(SQL|Bridge)/);
    }
    for (const { name, version } of knownPacks)
      expect(rowOf(name), name).toMatchObject({ versions: [version], how: 'Native' });
  });

  it('contains every extension that becomes a placeholder, and says whether a folder can provide it', () => {
    const languages = /^(bool|hstore|jsonb|ltree)_pl/;
    for (const name of Object.keys(missingExtensions)) {
      const isAllowed = allowedExtensions.has(name);
      expect(rowOf(languages.test(name) ? 'plperl' : name)?.how, name).toBe(
        isAllowed ? 'Folder, or Placeholder' : 'Placeholder',
      );
      expect(missingSentence(name).includes('extension_folders'), name).toBe(isAllowed);
    }
    expect(missingSentence('unlisted')).not.toContain('extension_folders');
  });

  it('contains every extension that hosted projects can create, except for contrib modules', () => {
    const contrib = new Set(trustedContrib);
    for (const name of allowedExtensions) if (!contrib.has(name)) expect(rowOf(name), name).toBeDefined();
  });
});

describe('different behavior', () => {
  it('pg_cron runs jobs and rejects a sixth field', async () => {
    expect(page).toContain('Schedules with a sixth field are rejected');
    const pool = backend.database.pool('postgres');
    await pool.exec(`create extension pg_cron; select cron.schedule('job', '1 second', 'select 1')`);
    await expect
      .poll(
        () => pool.query(sql`select status from cron.job_run_details where end_time is not null limit 1`),
        {
          timeout: 20_000,
        },
      )
      .toEqual([{ status: 'succeeded' }]);
    await expect(pool.query(sql`select cron.schedule('0 0 * * * *', 'select 1')`)).rejects.toThrow(
      'invalid schedule',
    );
    await pool.exec(`select cron.unschedule('job')`);
  });

  it('pgmq has no partitioned queues, and its tables belong to the project', async () => {
    expect(page).toContain('without partitioned queues');
    const pool = backend.database.pool('postgres');
    await pool.exec(`create extension pgmq; select pgmq.create('tasks')`);
    await expect(pool.exec(`select pgmq.create_partitioned('many')`)).rejects.toThrow(
      'pg_partman is required',
    );
    await pool.exec(`select pgmq.send('tasks', '1')`);
    await pool.exec(`drop extension pgmq; create extension pgmq; select pgmq.create('tasks')`);
    expect(await pool.query(sql`select message from pgmq.pop('tasks')`)).toEqual([{ message: 1 }]);
  });

  it('http sends requests and supports some curl options', async () => {
    const pool = backend.database.pool('postgres');
    await pool.exec('create extension http with schema extensions');
    expect(await pool.query(sql`select status from http_get('http://kong:8000/auth/v1/health')`)).toEqual([
      { status: 200 },
    ]);
    for (const option of ['CURLOPT_USERAGENT', 'CURLOPT_USERPWD']) {
      expect(page).toContain(`\`${option}\``);
      await pool.query(sql`select http_set_curlopt(${option}, '')`);
    }
    await expect(pool.query(sql`select http_set_curlopt('CURLOPT_PROXY', 'x')`)).rejects.toThrow(
      'not available',
    );
  });

  it.skipIf(lacksVector)(
    'vector is pgvector itself, and projects can request the hosted service’s version of it',
    async () => {
      expect(page).toContain("`create extension vector version '0.8.0'`");
      const pool = backend.database.pool('postgres');
      await pool.exec(`create extension vector with schema extensions version '0.8.0';
      create table public.docs (id int, e vector(2)); insert into public.docs values (1, '[1,0]'), (2, '[0,1]');
      create index on public.docs using ivfflat (e vector_l2_ops) with (lists = 1)`);
      const nearest = sql`select id from public.docs order by e <=> '[1,1.1]' limit 1`;
      expect(await pool.query(nearest)).toEqual([{ id: 2 }]);
    },
  );

  it('requests from SQL are sent, even to this server under the gateway’s name', async () => {
    expect(page).toContain('`http://kong:8000` refers to this server');
    const pool = backend.database.pool('postgres');
    const [{ id } = { id: 0 }] = await pool.query<{ id: number }>(
      sql`select net.http_get('http://kong:8000/auth/v1/health') as id`,
    );
    await expect
      .poll(() => pool.query(sql`select status_code, timed_out from net._http_response where id = ${id}`))
      .toEqual([{ status_code: 200, timed_out: false }]);
  });

  it('PostgreSQL is version 18, and supabase_admin is its only superuser', async () => {
    expect(backend.database.info.serverVersion).toBeGreaterThanOrEqual(180_000);
    const roles = await backend.database
      .pool('postgres')
      .query(sql`select rolname from pg_roles where rolsuper and rolname !~ '^pg_'`);
    expect(roles).toEqual([{ rolname: 'supabase_admin' }]);
  });

  it.each(['PATCH', 'DELETE'])('%s without a filter is rejected', async (method) => {
    const response = await ask(method, '/rest/v1/notes', method === 'PATCH' ? { done: true } : undefined);
    expect(response.status).toBe(400);
    expect(response.text).toContain('requires a WHERE clause');
  });

  it('exceeded PostgreSQL limits get status 400', async () => {
    expect(page).toContain('If a request exceeds a limit of PostgreSQL');
    const stars = (count: number) => `/rest/v1/notes?select=${Array(count).fill('*').join(',')}`;
    const response = await ask('GET', stars(1600));
    expect(response).toMatchObject({ status: 400, text: expect.stringContaining('54011') });
    expect(page).toContain('can have at most 1,664 items');
    expect(await ask('GET', stars(1700))).toMatchObject({
      status: 400,
      text: expect.stringContaining('PGRST100'),
    });
  });

  it('a permission error contains the missing privilege', async () => {
    expect(page).toContain('contains the missing GRANT statement');
    await backend.database.pool('postgres').exec(`
      create table public.told (id int);
      revoke all on public.told from service_role;
      notify pgrst, 'reload schema'`);
    await expect
      .poll(async () => JSON.parse((await ask('GET', '/rest/v1/told')).text).hint)
      .toBe(
        'Grant the required privileges to the current role with: GRANT SELECT ON public.told TO service_role;',
      );
  });

  it('users can see and end their sessions', async () => {
    const client = createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false },
    });
    const { data } = await client.auth.signInAnonymously();
    const headers = {
      apikey: backend.keys.publishableKey,
      authorization: `Bearer ${data.session?.access_token}`,
    };
    const listed = await backend.fetch('/auth/v1/user/sessions', { headers });
    expect(listed.status).toBe(200);
    const [session] = ((await listed.json()) as { sessions: { id: string }[] }).sessions;
    const ended = await backend.fetch(`/auth/v1/user/sessions/${session?.id}`, { method: 'DELETE', headers });
    expect(ended.ok).toBe(true);
    const after = await backend.fetch('/auth/v1/user', { headers });
    expect(await after.json()).toMatchObject({ error_code: 'session_not_found' });
  });

  it('users can cancel a change of address', async () => {
    for (const kind of ['email_change', 'phone_change']) {
      expect(page).toContain(`DELETE /auth/v1/user/${kind}`);
      const headers = { apikey: backend.keys.publishableKey };
      const response = await backend.fetch(`/auth/v1/user/${kind}`, { method: 'DELETE', headers });
      expect(response.status).toBe(403);
    }
  });

  it('users can generate recovery codes', async () => {
    expect(page).toContain('/auth/v1/factors/recovery-codes');
    const client = createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false },
    });
    const email = `codes-${Date.now()}@example.com`;
    const { data } = await client.auth.signUp({ email, password: 'correct horse' });
    const headers = {
      apikey: backend.keys.publishableKey,
      authorization: `Bearer ${data.session?.access_token}`,
    };
    const response = await backend.fetch('/auth/v1/factors/recovery-codes', { headers });
    expect(await response.json()).toEqual({ total: 0, remaining: 0, created_at: null });
  });

  it('the Account pages can be used as a provider', async () => {
    const response = await backend.fetch('/auth/v1/authorize?provider=custom:account', {
      redirect: 'manual',
    });
    expect(response.headers.get('location')).toBe(`${backend.url}/account/sign-in`);
  });

  it('realtime.subscription stays empty, and only functions for SQL exist', async () => {
    const names = await backend.database
      .pool('postgres')
      .query<{ name: string }>(
        sql`select proname::text as name from pg_proc where pronamespace = 'realtime'::regnamespace`,
      );
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['send', 'broadcast_changes', 'topic']),
    );
    expect(names.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['apply_rls']));
  });
});

it('with a captcha, users can’t sign in on the Account pages', async () => {
  expect(page).toContain('Without the site key');
  const guarded = await createTestBackend({
    config: { auth: { captcha: { enabled: true, provider: 'turnstile', secret: 'x' } } },
  });
  try {
    const response = await guarded.fetch('/account/api/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-plinth-request': '1' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse' }),
    });
    expect(await response.text()).toContain('captcha_failed');
  } finally {
    await guarded.stop();
  }
});
