/**
 * Tests each role's permissions for every route of the Console API. The test iterates over all routes, so it also
 * covers new routes.
 */
import { globSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkRoute } from '../../src/console/routes/api.ts';
import { sql } from '../../src/kernel/sql.ts';
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
  'POST /sql/look': 'queries that are judged first, read-only and rolled back (test/console/sql.test.ts)',
  'POST /policies/preview': 'prints SQL',
  'POST /settings/mails/:name/preview': 'renders a template with sample values',
  'POST /storage/buckets/:bucket/thumbnails': 'signs links to small images, which the role can read anyway',
  'POST /why': 'reads only, for such a role',
  'POST /why/pgtap': 'reads only, for such a role',
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

const routes = () =>
  backend.console
    .routes()
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
    globSync('src/console/*/contract.ts', { exclude: ['src/console/core'] }).map(async (path) => {
      const module = (await import(pathToFileURL(path).href)) as { contract?: object };
      return Object.keys(module.contract ?? {});
    }),
  );
  const served = routes()
    .filter(({ method, path }) => method !== 'HEAD' && path !== '/*')
    .map(({ method, path }) => `${method} ${path}`);
  expect(served.sort()).toEqual(declared.flat().sort());
});

test('a read-only operator is rejected by every route that writes', async () => {
  const writing = routes().filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  expect(writing.length).toBeGreaterThan(8);
  for (const { method, path } of writing) {
    if (harmless[`${method} ${path}`] !== undefined) continue;
    const { status, body } = await looker.call(method, filled(path), {});
    expect([method, path, status, body.code]).toEqual([method, path, 403, 'forbidden']);
  }
});

test('every route needs a session, and every route except GET needs a CSRF token', async () => {
  for (const { method, path } of routes()) {
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
  for (const { method, path } of routes()) {
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
