/**
 * Measures how long policies for organizations take: a user who belongs to three of 10,000 organizations reads their rows
 * in an app table with 1,000,000 rows. Compares the policy that docs/organizations.md recommends with the ways in which
 * such a policy can also be written. Fails if the recommended policy takes longer than its limit.
 *
 *   node bench/organizations.ts [--rows 1000000] [--organizations 10000] [--rounds 5] [--plans]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sql } from '../src/base/kernel/sql.ts';
import { createTestBackend, stopTestCluster } from '../src/entry/testing.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    organizations: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    plans: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const report = createReport(values.json);
const rows = Number(values.rows);
const organizations = Number(values.organizations);
const rounds = Number(values.rounds);
const limitMs = 20;

const migration = readFileSync(new URL('../templates/organizations/migration.sql', import.meta.url), 'utf8');
const user = '00000000-0000-4000-8000-000000000001';
const organizationId = (n: string): string =>
  `('10000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;

const backend = await createTestBackend({ sql: migration });
const pool = backend.database.pool('postgres');
await pool.exec(`
  insert into auth.users (id, instance_id, aud, role, email)
    values ('${user}', '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', 'ada@example.com');
  insert into public.organizations (id, name, slug)
    select ${organizationId('n')}, 'Organization ' || n, 'organization-' || n from generate_series(1, ${organizations}) n;
  insert into public.organization_roles (organization_id, key, name, rank, built_in)
    select id, role.key, role.key, role.rank, true
    from public.organizations, (values ('owner', 100), ('admin', 50), ('member', 10)) as role (key, rank);
  insert into public.organization_memberships (organization_id, user_id, role)
    select ${organizationId('n')}, '${user}', 'owner' from generate_series(1, 3) n;
  create table public.documents (
    id int primary key, organization_id uuid not null references public.organizations, title text not null
  );
  insert into public.documents
    select n, ${organizationId(`1 + n % ${organizations}`)}, 'Document ' || n from generate_series(1, ${rows}) n;
  create index on public.documents (organization_id);
  alter table public.documents enable row level security;
  grant select on public.documents to authenticated`);
await backend.database.pool('supabase_admin').exec('vacuum analyze public.documents');

const [current] = await pool.query<{ id: string }>(
  sql`select id from public.organizations where slug = 'organization-1'`,
);
const claims = JSON.stringify({ sub: user, role: 'authenticated', org_id: current?.id });
const settings = [
  // org.is_member is called a million times.
  ['statement_timeout', '300000'],
  ['role', 'authenticated'],
  ['request.jwt.claims', claims],
] as const;

const policies: readonly { readonly name: string; readonly using: string; readonly limitMs?: number }[] = [
  {
    name: 'organization_id = any (array(select org.ids()))',
    using: 'organization_id = any (array(select org.ids()))',
    limitMs,
  },
  {
    name: "organization_id = any (array(select org.ids('admin')))",
    using: "organization_id = any (array(select org.ids('admin')))",
    limitMs,
  },
  {
    name: 'organization_id = (select org.current())',
    using: 'organization_id = (select org.current())',
    limitMs,
  },
  { name: 'organization_id in (select org.ids())', using: 'organization_id in (select org.ids())' },
  { name: 'org.is_member(organization_id)', using: 'org.is_member(organization_id)' },
];

for (const { name, using, limitMs: most } of policies) {
  await pool.exec(`drop policy if exists tested on public.documents;
    create policy tested on public.documents for select to authenticated using (${using})`);
  const count = most === undefined ? 1 : rounds;
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    const start = performance.now();
    await backend.database
      .pool('authenticator')
      .statements([sql`select id, organization_id, title from public.documents`], { settings });
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const ms = times[Math.floor((times.length - 1) / 2)] ?? 0;
  report.add({ name, unit: 'ms', value: ms, ...(most === undefined ? {} : { limit: { most } }) });
  console.log(`${ms.toFixed(1).padStart(10)} ms  ${name}`);
  if (values.plans) {
    const [plan] = await backend.database
      .pool('authenticator')
      .statements([sql`explain analyze select id, organization_id, title from public.documents`], {
        settings,
      });
    for (const row of plan ?? []) console.log(`    ${Object.values(row)[0]}`);
  }
  if (most !== undefined && ms > most) process.exitCode = 1;
}

await backend.stop();
await stopTestCluster();
