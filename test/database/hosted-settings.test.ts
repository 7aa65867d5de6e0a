/**
 * Compares the settings of the embedded PostgreSQL server and its roles with those of the hosted service. The table of
 * expected settings contains a reason for each difference.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { postgresqlConf } from '../../src/platform/database/embedded/settings.ts';
import { factsOf } from './hosted-facts.ts';

const facts = factsOf(readFileSync(new URL('hosted-settings.txt', import.meta.url), 'utf8'));
const roleFacts = facts.filter(({ name }) => name.startsWith('role '));
const serverFacts = facts.filter(({ name }) => !name.startsWith('role '));

/** The settings of a cluster that must survive a crash. Those of the test cluster differ in a few values. */
const durable = new Map(
  [
    ...postgresqlConf({
      port: 1,
      listenAddress: null,
      socketDir: null,
      extensionDirs: [],
      durable: true,
      diskBytes: 1e12,
      extra: {},
    }).matchAll(/^(\w+) = '?(.*?)'?$/gm),
  ].map(([, name = '', value = '']) => [name.toLowerCase(), value] as const),
);

let backend: Awaited<ReturnType<typeof createTestBackend>>;
beforeAll(async () => {
  backend = await createTestBackend();
});
afterAll(() => backend.stop());

test('every server setting has the value in the table', async () => {
  const rows = await backend.database.pool('supabase_admin').query<{ name: string; value: string }>(sql`
    select s.name, current_setting(s.name) as value from pg_settings s
    where s.name = any (${serverFacts.map(({ name }) => name)})`);
  const live = new Map(rows.map(({ name, value }) => [name, value]));
  const normalized = (value: string | undefined) => value?.replace(/^4096MB$/, '4GB').toLowerCase();
  expect(
    serverFacts.map(
      ({ name }) => `${name} | ${normalized(durable.get(name.toLowerCase()) ?? live.get(name))}`,
    ),
  ).toEqual(serverFacts.map(({ name, plinth }) => `${name} | ${normalized(plinth)}`));
});

test('every role has the settings in the table', async () => {
  const rows = await backend.database
    .pool('supabase_admin')
    .query<{ name: string; settings: string[] | null }>(sql`
    select r.rolname as name, s.setconfig as settings
    from pg_roles r left join pg_db_role_setting s on s.setrole = r.oid and s.setdatabase = 0
    where r.rolname !~ '^(pg_|plinth_)' order by r.rolname`);
  const expected = new Map(roleFacts.map(({ name, plinth }) => [name, plinth]));
  const found = rows.map(({ name, settings }) => `role ${name} | ${settings?.join('; ') ?? '-'}`);
  expect(found).toEqual(rows.map(({ name }) => `role ${name} | ${expected.get(`role ${name}`)}`));
  expect(rows.map(({ name }) => name).sort()).toEqual(
    roleFacts.map(({ name }) => name.slice('role '.length)).sort(),
  );
});

test('every listed difference from the hosted service exists and has a reason', () => {
  const wrong = facts.filter(({ hosted, plinth, reason }) => (hosted === plinth) !== (reason === ''));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
