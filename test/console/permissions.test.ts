/**
 * Tests each role's permissions for every route of the Console API. The test iterates over all routes, so it also
 * covers new routes.
 */
import { globSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { checkRoute, fresh } from '../../src/pages/console/routes/api.ts';
import { developerSettings, harmlessSettings } from '../../src/platform/config/schema/developer-settings.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let looker: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  looker = await operator(backend, 'looker');
});
afterAll(() => backend?.stop());

const prefix = '/console/api';

/** The routes that accept a body from a read-only role, and why these requests don't change anything in the project. */
const harmless: Readonly<Record<string, string>> = {
  'POST /sign-in': 'spends a link, which is asked for instead of a role',
  'POST /sign-out': 'ends the own session',
  'POST /graphql/query': 'runs in a read-only transaction; see graphql-page.test.ts',
  'DELETE /sessions/:id': 'ends an own session; see operators.test.ts',
  'POST /factor': 'begins an own second factor',
  'POST /factor/confirm': 'confirms an own second factor',
  'POST /factor/prove': 'proves an own second factor',
  'DELETE /factor': 'removes an own second factor',
  'POST /factor/passkeys/begin': 'asks for an own passkey',
  'POST /factor/passkeys': 'adds an own passkey',
  'DELETE /factor/passkeys/:id': 'removes an own passkey',
  'POST /factor/passkeys/ask': 'asks for a proof by an own passkey',
  'POST /factor/passkeys/prove': 'proves an own second factor',
  'POST /tokens': 'creates an own token with no more permissions (tokens.test.ts)',
  'DELETE /tokens/:id': 'revokes an own token',
  'POST /agents/approve': 'connects an agent with no more permissions (agents.test.ts)',
  'DELETE /agents/:id': 'disconnects an own agent',
  'POST /sql/look': 'queries that are judged first, read-only and rolled back (test/console/sql.test.ts)',
  'POST /policies/preview': 'prints SQL',
  'POST /branches/:id/link': 'opens a branch, where the operator has the same role (branches-page.test.ts)',
  'POST /settings/mails/:name/preview': 'renders a template with sample values',
  'POST /storage/buckets/:bucket/thumbnails': 'signs links to small images, which the role can read anyway',
  'POST /why': 'reads only, for such a role',
  'POST /why/everyone': 'evaluates policies in read-only transactions (why-everyone.test.ts)',
  'POST /why/pgtap': 'reads only, for such a role',
  'POST /replays': 'replays reads only, for such a role (replay.test.ts)',
  'POST /replays/test': 'replays reads only, for such a role (replay.test.ts)',
  'POST /realtime/verdict/change':
    'reads only, and rows of secrets only for those who may (realtime.test.ts)',
  'POST /realtime/verdict/broadcast': 'asks policies in a transaction that is rolled back',
  'POST /sql/look/explain': 'the plan of such a query',
  'POST /sql/look/exports': 'the rows of such a query as a file',
  'POST /sql/parameters': 'parses SQL',
  'POST /sql/look/cell': 'one cell of such a query',
  'POST /sql/runs/:id/cancel': 'ends a run of one’s own',
  'DELETE /sql/history': 'one’s own history',
};

const routes = async () =>
  (await backend.console.routes())
    .filter(({ method, path }) => path.startsWith(`${prefix}/`) && method !== '*')
    .map(({ method, path }) => ({ method, path: path.slice(prefix.length) }));

/** Replaces each `:name` in a path, so that the route is reached. */
const filled = (path: string): string =>
  path
    .replaceAll(/:(\w+)/g, (_all, name: string) =>
      name === 'schema' ? 'public' : name === 'table' ? 'tasks' : '00000000-0000-0000-0000-000000000000',
    )
    .replace('*', 'x');

test('the contract declares every route that the server serves, and no others', async () => {
  const declared = await Promise.all(
    globSync('src/pages/console/*/contract.ts', { exclude: ['src/pages/console/core'] }).map(async (path) => {
      const module = (await import(pathToFileURL(path).href)) as { contract?: object };
      return Object.keys(module.contract ?? {});
    }),
  );
  const served = (await routes())
    .filter(({ method, path }) => method !== 'HEAD' && path !== '/*')
    .map(({ method, path }) => `${method} ${path}`);
  expect(served.sort()).toEqual(declared.flat().sort());
});

test('a read-only operator is rejected by every route that writes', async () => {
  const writing = (await routes()).filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  expect(writing.length).toBeGreaterThan(8);
  for (const { method, path } of writing) {
    if (harmless[`${method} ${path}`] !== undefined) continue;
    const { status, body } = await looker.call(method, filled(path), {});
    expect([method, path, status, body.code]).toEqual([method, path, 403, 'forbidden']);
  }
});

/** The routes that need a recent sign-in, whatever their input is. */
const freshRoutes = [
  'DELETE /factor/passkeys/:id',
  'DELETE /function-secrets/:name',
  'DELETE /keys/api/:id',
  'DELETE /keys/signing/:kid',
  'DELETE /operators/:id',
  'DELETE /operators/:id/factor',
  'DELETE /sso/:id',
  'PATCH /operators/:id',
  'POST /agents/approve',
  'POST /branches/:id/link',
  'POST /branches/:id/merge',
  'POST /factor/passkeys',
  'POST /factor/passkeys/begin',
  'POST /function-secrets',
  'POST /functions',
  'POST /keys/api',
  'POST /keys/default/rotate',
  'POST /keys/signing',
  'POST /keys/signing/rotate',
  'POST /operators',
  'POST /operators/:id/link',
  'POST /operators/:id/link/send',
  'POST /sso',
  'POST /tokens',
  'PUT /functions/:slug/files',
  'PUT /sso/:id',
];

/** Signs in as an owner whose sign-in isn't recent. */
async function staleOwner(): Promise<Operator> {
  const stale = await operator(backend);
  await backend.database.pool('supabase_admin').query(sql`
    update _plinth.operator_sessions set created_at = now() - interval '11 minutes'
    where csrf_token = ${stale.csrfToken}`);
  return stale;
}

test('an owner with an old sign-in is rejected by exactly the listed routes, before the input is read', async () => {
  const stale = await staleOwner();
  const rejected: string[] = [];
  for (const { method, path } of await routes()) {
    // These routes end the session or restart the server.
    if (['/sign-out', '/settings/restart'].includes(path)) continue;
    if (method === 'GET' || method === 'HEAD') continue;
    const { body } = await stale.call(method, filled(path), {});
    if (body.code === 'sign_in_again') rejected.push(`${method} ${path}`);
  }
  // Adding an authenticator app needs a recent sign-in only for an operator who has none.
  expect(rejected.sort()).toEqual([...freshRoutes, 'POST /factor'].sort());
});

const setting = (file: string, key: string, value: unknown) => ({ file, path: key.split('.'), value });

test.each([
  ['a secret', setting('config.toml', 'auth.email.smtp.pass', 'x')],
  ['the default secret key', setting('config.toml', 'auth.secret_key', `sb_secret_${'x'.repeat(32)}`)],
  ['a signing key', setting('config.toml', 'auth.signing_keys_path', 'keys.json')],
  ['the mail server', setting('config.toml', 'auth.email.smtp.host', 'mail.example.com')],
  ['confirmed email addresses', setting('config.toml', 'auth.email.enable_confirmations', false)],
  ['a second factor', setting('config.toml', 'auth.mfa.totp.verify_enabled', false)],
  ['the second factor of the Account pages', setting('plinth.toml', 'account.require_mfa', 'never')],
  ['allowed redirects', setting('config.toml', 'auth.additional_redirect_urls', ['https://evil.example'])],
  ['the site’s address', setting('config.toml', 'auth.site_url', 'https://evil.example')],
  ['the origins of passkeys', setting('config.toml', 'auth.webauthn.rp_origins', ['https://evil.example'])],
  ['a hook', setting('config.toml', 'auth.hook.custom_access_token.uri', 'https://evil.example')],
  ['guesses', setting('config.toml', 'auth.rate_limit.token_verifications', 100_000)],
  ['refresh tokens', setting('config.toml', 'auth.enable_refresh_token_rotation', false)],
  ['leaked passwords', setting('plinth.toml', 'auth.password.hibp.enabled', false)],
  ['public buckets', setting('config.toml', 'storage.buckets.avatars.public', true)],
  ['exposed schemas', setting('config.toml', 'api.schemas', ['public', 'private'])],
  ['functions without a token', setting('config.toml', 'functions.echo.verify_jwt', false)],
  ['the lifetime of tokens', setting('config.toml', 'auth.jwt_expiry', 604_800)],
  ['an unknown setting', setting('config.toml', 'auth.no_such_setting', true)],
])('an owner with an old sign-in can’t change %s', async (_what, change) => {
  const stale = await staleOwner();
  const { body: settings } = await stale.call('GET', '/settings');
  const { body } = await stale.call('POST', '/settings', { changes: [change], stamps: settings.stamps });
  expect(body.code).toBe('sign_in_again');
});

test('an old sign-in can change ordinary settings and reveal public keys, but not template files or secret keys', async () => {
  const stale = await staleOwner();
  const { stamps } = (await stale.call('GET', '/settings')).body;
  const templates = [{ name: 'recovery', html: '<p>{{ .Token }}</p>', stamp: '' }];
  const mail = await stale.call('POST', '/settings', { changes: [], templates, stamps });
  expect(mail.body.code).toBe('sign_in_again');
  const changes = [setting('config.toml', 'api.max_rows', 500)];
  expect((await stale.call('POST', '/settings', { changes, stamps })).status).toBe(200);
  expect((await stale.call('POST', '/keys/reveal', { name: 'secret' })).body.code).toBe('sign_in_again');
  expect((await stale.call('POST', '/keys/reveal', { name: 'publishable' })).status).toBe(200);
});

test('the settings that an old sign-in can change are settings that developers can change', async () => {
  const known = Object.values(developerSettings).flatMap((keys) => [...keys]);
  expect([...harmlessSettings].filter((key) => !known.includes(key))).toEqual([]);
});

test('SQL that operators cause can’t read the service_role key', async () => {
  await backend.database.pool('postgres').exec(`
    create table public.seen (headers text);
    create function public.note_headers() returns trigger language plpgsql security definer as $$
      begin insert into public.seen values (current_setting('request.headers', true)); return new; end $$;
    create function public.show_headers() returns text language sql as
      $$ select current_setting('request.headers', true) $$;
    create trigger note_headers after insert on storage.buckets
      for each row execute function public.note_headers()`);
  const owner = await operator(backend);
  const call = () =>
    owner.call('POST', '/reference/try', {
      method: 'POST',
      path: 'rpc/show_headers',
      body: '{}',
      rollsBack: true,
    });
  // The function is found after the schema cache has been reloaded.
  await expect.poll(async () => (await call()).body.status).toBe(200);
  const tried = await call();
  expect(tried.body.body).toContain('Bearer');
  const made = await owner.call('POST', '/storage/buckets', {
    name: 'watched',
    public: false,
    file_size_limit: null,
    allowed_mime_types: null,
  });
  expect(made.status).toBeLessThan(300);
  const [seen] = await backend.database
    .pool('postgres')
    .query<{ headers: string }>(sql`select headers from public.seen`);
  expect(seen?.headers).toContain('Bearer');
  for (const text of [tried.body.body as string, seen?.headers ?? '']) {
    expect(text).not.toContain(backend.keys.serviceRoleKey);
    const token = /Bearer ([\w.-]+)/.exec(text)?.[1] ?? '';
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.exp - Date.now() / 1000).toBeLessThanOrEqual(91);
  }
});

test('every route needs a session, and every route except GET needs a CSRF token', async () => {
  for (const { method, path } of await routes()) {
    if (path === '/sign-in') continue;
    const anonymous = await backend.console.fetch(prefix + filled(path), { method });
    expect([method, path, anonymous.status]).toEqual([method, path, 401]);
    if (method === 'GET') continue;
    const forged = await looker.call(method, filled(path), {}, { 'x-plinth-csrf': 'x'.repeat(32) });
    expect([method, path, forged.status, forged.body.code]).toEqual([method, path, 403, 'csrf']);
  }
});

test('read-only routes don’t change rows in any table', async () => {
  const owner = await operator(backend);
  const before = await writtenRows();
  for (const { method, path } of await routes()) {
    if (method !== 'GET') continue;
    const response = await backend.console.fetch(prefix + filled(path), {
      headers: { cookie: owner.cookie },
    });
    // The response body may be a stream that never ends.
    await response.body?.cancel();
  }
  expect(await writtenRows()).toEqual(before);
});

/** Returns a digest of all rows outside `_plinth` and PostgreSQL's own schemas. */
async function writtenRows(): Promise<Record<string, string>> {
  const pool = backend.database.pool('supabase_admin');
  const tables = await pool.query<{ name: string }>(sql`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not like 'pg\_%' and n.nspname not in ('_plinth', 'information_schema')`);
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await pool.query<{ digest: string }>(
      sql`select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${sql.raw(name)} t`,
    );
    digests[name] = row?.digest ?? '';
  }
  return digests;
}

test("a route that doesn't declare a permission isn't registered", () => {
  expect(() => checkRoute('GET', '/x', undefined as never)).toThrow('names the permission');
  expect(() => checkRoute('POST', '/x', 'reed' as never)).toThrow('names the permission');
  expect(() => checkRoute('POST', '/x', 'read')).toThrow("doesn't permit changes");
  expect(() => checkRoute('POST', '/x', 'read', { changes: 'nothing' })).not.toThrow();
  expect(() => checkRoute('DELETE', '/x', 'write')).not.toThrow();
  expect(() => checkRoute('DELETE', '/x', 'own')).toThrow('whether it needs a recent sign-in');
  expect(() => checkRoute('DELETE', '/x', fresh('own'))).not.toThrow();
});

test.each([
  ['postgres', 'update _plinth.audit_log set operator_name = operator_name'],
  ['postgres', 'delete from _plinth.audit_log'],
  ['postgres', 'truncate _plinth.audit_log'],
  ['postgres', "insert into _plinth.audit_log (operator_name, action, target) values ('ada', 'x', 'y')"],
  ['postgres', 'alter table _plinth.audit_log disable trigger all'],
  ['postgres', 'drop trigger audit_log_is_kept on _plinth.audit_log'],
  ['postgres', 'drop table _plinth.audit_log'],
  ['postgres', 'drop function _plinth.refuse_change() cascade'],
  ['supabase_admin', 'update _plinth.audit_log set operator_name = operator_name'],
  ['supabase_admin', 'delete from _plinth.audit_log'],
  ['supabase_admin', 'truncate _plinth.audit_log'],
  ['supabase_admin', 'set session_replication_role = replica; delete from _plinth.audit_log'],
] as const)('the audit log is append-only: %s can’t run %s', async (role, text) => {
  await expect(backend.database.pool(role).exec(text)).rejects.toMatchObject({ code: '42501' });
});
