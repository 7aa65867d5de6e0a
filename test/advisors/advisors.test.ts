/** Tests the advisors. For each rule, the test data contains one example of the problem and one correct counterpart. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Finding, runAdvisors } from '../../src/project/advisors/index.ts';
import { plinth } from '../cli/run-plinth.ts';
import { makeProject } from '../config/project-folder.ts';

const problems = readFileSync(new URL('problems.sql', import.meta.url), 'utf8');
let backend: Backend;
let findings: readonly Finding[];

beforeAll(async () => {
  backend = await createTestBackend();
  await backend.database.pool('postgres').exec(problems);
  findings = await advise();
});
afterAll(() => backend?.stop());

const advise = (): Promise<Finding[]> =>
  runAdvisors(backend.database.pool('postgres'), { exposedSchemas: ['public'] });

/** Returns the keys of a rule's findings, without the rule's name as a prefix. */
const keys = (name: string, list: readonly Finding[] = findings): string[] =>
  list
    .filter((finding) => finding.name === name)
    .map(({ cache_key }) => cache_key.slice(name.length + 1))
    .sort();

test.each([
  ['sensitive_columns_exposed', ['public_bad_open']],
  ['rls_disabled_in_public', ['public_bad_off', 'public_bad_open', 'public_parts']],
  ['policy_exists_rls_disabled', ['public_bad_off']],
  ['rls_enabled_no_policy', ['public_bad_silent']],
  ['rls_references_user_metadata', ['public_policies_bad_metadata']],
  ['rls_policy_always_true', ['public_policies_bad_true']],
  [
    'policy_never_matches',
    ['public_policies_bad_null', 'public_policies_bad_role', 'public_ungranted_bad_privilege'],
  ],
  ['multiple_permissive_policies', ['public_policies_authenticated_SELECT']],
  ['auth_users_exposed', ['public_bad_users']],
  ['security_definer_view', ['public_bad_definer', 'public_bad_users']],
  ['materialized_view_in_api', ['public_bad_materialized']],
  ['anon_security_definer_function_executable', ['public_bad_definer_']],
  ['authenticated_security_definer_function_executable', ['public_bad_definer_']],
  ['function_search_path_mutable', [expect.stringMatching(/^public_bad_definer_[0-9a-f]{32}$/)]],
  ['unindexed_foreign_keys', ['public_children_children_bad_parent_fkey']],
  ['duplicate_index', ['public_children_{bad_same_1,bad_same_2}', 'public_contacts_{phone,twice}']],
  ['no_primary_key', ['public_bad_keyless', 'public_part']],
  ['unsupported_reg_types', ['public_bad_types_kind']],
  ['fkey_to_auth_unique', ['public_bad_reference_bad_reference_phone_fkey']],
  ['public_bucket_allows_listing', ['bad']],
  ['extension_in_public', ['pg_trgm']],
])('%s reports only the problem', (name, expected) => {
  expect(keys(name)).toEqual(expected);
});

test('unused indexes don’t include those of partitioned tables and constraints', () => {
  const names = keys('unused_index');
  expect(names).toContain('public_children_good_parent');
  expect(names.filter((name) => /kind|pkey|twice/.test(name))).toEqual([]);
});

test('large tables that are mostly read completely are reported', async () => {
  const session = await backend.database.pool('postgres').connect();
  await session.exec(`
    create table public.scanned as select i as id, i % 9 as kind from generate_series(1, 10000) i;
    create table public.looked_up as select i as id from generate_series(1, 10000) i;
    create index on public.looked_up (id);
    analyze public.scanned, public.looked_up;
    do $$ begin
      for i in 1..100 loop
        perform from public.scanned where kind = i;
        perform from public.looked_up where id = i;
      end loop;
    end $$;
    select pg_stat_force_next_flush();`);
  session.destroy();
  await expect.poll(async () => keys('frequent_full_scans', await advise())).toEqual(['public_scanned']);
  await backend.database.pool('postgres').exec('drop table public.scanned, public.looked_up');
});

test('a policy with one cached and one uncached call is reported', () => {
  const found = findings.filter(({ name }) => name === 'auth_rls_initplan');
  expect(found.map(({ cache_key }) => cache_key)).toEqual([
    'auth_rls_init_plan_public_policies_bad_metadata',
    'auth_rls_init_plan_public_policies_bad_per_row',
  ]);
});

test('findings are sorted by level, and have upstream’s fields', () => {
  expect(findings[0]).toEqual({
    name: 'sensitive_columns_exposed',
    title: 'Sensitive Columns Exposed',
    level: 'ERROR',
    facing: 'EXTERNAL',
    categories: ['SECURITY'],
    description: expect.any(String),
    detail: expect.stringContaining('password'),
    remediation: expect.stringContaining('0023_sensitive_columns_exposed'),
    metadata: {
      schema: 'public',
      name: 'bad_open',
      type: 'table',
      sensitive_columns: ['password'],
      matched_patterns: ['password'],
    },
    cache_key: 'sensitive_columns_exposed_public_bad_open',
    fix: { sql: 'alter table "public"."bad_open" enable row level security;', note: expect.any(String) },
  });
  const levels = findings.map(({ level }) => ['ERROR', 'WARN', 'INFO'].indexOf(level));
  expect(levels).toEqual([...levels].sort());
});

test('the command prints upstream’s JSON, and exits with 1 at the level of --fail-on', async () => {
  const cwd = makeProject({ 'supabase/config.toml': '' });
  const run = (...args: string[]) =>
    plinth(['db', 'advisors', '--db-url', backend.database.info.projectUrl, ...args], { cwd });
  const security = await run('--type', 'security', '--level', 'error', '--fail-on', 'error');
  expect(security.status).toBe(1);
  const printed: Finding[] = JSON.parse(security.stdout);
  expect(new Set(printed.map(({ level, categories }) => `${level} ${categories}`))).toEqual(
    new Set(['ERROR SECURITY']),
  );
  expect((await run('--level', 'none')).stderr).toContain('--level: none must be info, warn or error');
});

test('applying a finding’s fix removes the finding', async () => {
  const pool = backend.database.pool('postgres');
  const fixed = findings.filter(({ fix }) => fix !== undefined);
  for (const { fix } of fixed) {
    // A fix can fail, because several findings can have the same fix, and an earlier fix can make a later one
    // unnecessary.
    await pool.exec(fix?.sql ?? '').catch((error: { code?: string }) => {
      if (error.code !== '42704') throw error;
    });
  }
  const left = new Set((await advise()).map(({ cache_key }) => cache_key));
  expect(fixed.map(({ cache_key }) => cache_key).filter((key) => left.has(key))).toEqual([]);
});
