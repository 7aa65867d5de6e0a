/** Tests what a branch doesn't receive: personal data if it is masked, logins of other services, and former operators. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Operator, operator, operatorOf } from '../console/harness.ts';
import { startProject, type TestProject } from './project.ts';

/** Personal data and secrets in all the places where PostgreSQL and Plinth keep copies of them. */
const content = `
create extension pg_cron;
create table public.people (id bigint generated always as identity primary key, email text not null, city text);
create index people_by_domain on public.people (split_part(email, '@', 2));
insert into public.people (email, city) select 'person' || n || '@corp.example', 'Ghent' from generate_series(1, 200) n;
create materialized view public.directory as select id, email from public.people;
create materialized view public.domains as select distinct split_part(email, '@', 2) as domain from public.directory;
-- Can't be computed from masked addresses, which have 29 characters.
create materialized view public.ratios as select id, email, 1 / (length(email) - 29) as ratio from public.people;
create statistics public.people_pairs (mcv) on email, city from public.people;
insert into auth.users (id, email, raw_user_meta_data)
  select gen_random_uuid(), 'user' || n || '@corp.example', '{"full_name": "Ann Corp"}' from generate_series(1, 50) n;
insert into auth.identities (provider_id, user_id, provider, identity_data)
  select 'sso-' || email, id, 'sso:corp', jsonb_build_object('sub', 'sso-' || email, 'email', email) from auth.users;
insert into auth.identities (provider_id, user_id, provider, identity_data)
  select id, id, 'email', jsonb_build_object('sub', id, 'email', email) from auth.users;
insert into auth.custom_oauth_providers (provider_type, identifier, name, client_id, client_secret, authorization_url,
    token_url, userinfo_url)
  values ('oauth2', 'custom:corp', 'Corp', 'app', 'corp-client-secret', 'https://corp.example/a', 'https://corp.example/t',
    'https://corp.example/u');
select realtime.send('{"from": "ann@corp.example"}', 'chat', 'room', true);
`;

let project: TestProject;

beforeAll(async () => {
  project = await startProject({
    'config.toml': 'project_id = "withheld"\n',
    'plinth.toml': '[branches.mask.columns]\n"public.people.email" = "email"\n',
    'migrations/20260101000000_people.sql': content,
  });
  const admin = project.backend.database.pool('supabase_admin');
  await admin.exec('analyze');
  await admin.query(sql`insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
    values ('POST', 'http://127.0.0.1:9/', '{"authorization": "Bearer queued-key"}', 'ann@corp.example', 1000)`);
  await admin.query(
    sql`insert into net._http_response (id, status_code, content) values (-1, 200, 'ann@corp.example')`,
  );
  await admin.query(sql`insert into cron.job_run_details (runid, command, return_message)
    values (-1, 'select 1', 'ann@corp.example')`);
});
afterAll(() => project?.stop());

interface Branch {
  readonly id: string;
  readonly project_ref: string;
  readonly console_url: string;
}

/** Creates a branch and waits until it is ready. A retry of the test gets another branch. */
async function createBranch(more: object): Promise<Branch> {
  const name = `b-${crypto.randomUUID()}`;
  await project.backend.manage('createBranch', { branch_name: name, with_data: true, ...more });
  return await vi.waitFor(
    async () => {
      const found = (await project.backend.manage('findBranch', { name })) as Branch & { status: string };
      expect(found.status).toBe('FUNCTIONS_DEPLOYED');
      return found;
    },
    { timeout: 120_000, interval: 200 },
  );
}

const query = async ({ project_ref: ref }: Branch, text: string): Promise<Record<string, unknown>[]> =>
  (await project.backend.manage('runQuery', { query: text }, { ref })) as Record<string, unknown>[];

/** Counts the values that contain the text, in every table, materialized view and statistic that `postgres` can read. */
async function findEverywhere(branch: Branch, text: string): Promise<Record<string, unknown>[]> {
  const relations = await query(
    branch,
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and c.relispopulated and has_table_privilege(c.oid, 'select')
       and has_schema_privilege(n.oid, 'usage')
       and n.nspname not in ('pg_catalog', 'information_schema', 'supabase_migrations')`,
  );
  // The migration of this test contains the text too.
  const statistics = ['pg_stats', 'pg_stats_ext'].map(
    (view) => `(select * from ${view} where tablename <> 'schema_migrations')`,
  );
  const parts = [...relations.map(({ name }) => String(name)), ...statistics].map(
    (from) =>
      `select $$${from}$$ as name, count(*)::int as count from ${from} t where t::text like '%${text}%' having count(*) > 0`,
  );
  return await query(branch, parts.join('\nunion all\n'));
}

test('a masked branch has no copy of masked values, also not in statistics and materialized views', async () => {
  const branch = await createBranch({ mask: true });
  expect(await findEverywhere(branch, 'corp.example')).toEqual([
    // The addresses of a provider aren't personal data.
    { name: 'auth.custom_oauth_providers', count: 1 },
  ]);
  expect(await findEverywhere(branch, 'Ann Corp')).toEqual([]);
  const [identities] = await query(
    branch,
    `select count(*)::int, count(distinct provider_id)::int as ids, bool_and(identity_data ->> 'sub' = provider_id) as same,
       bool_and(provider <> 'email' or provider_id = user_id::text) as own from auth.identities`,
  );
  expect(identities).toEqual({ count: 100, ids: 100, same: true, own: true });
  const views = await query(
    branch,
    `select (select count(*) from public.directory)::int as rows, (select string_agg(domain, ', ') from public.domains) as domains`,
  );
  expect(views).toEqual([{ rows: 200, domains: 'example.com' }]);
});

test("a branch has no logins of the project's other services", async () => {
  const branch = await createBranch({ mask: false });
  const [found] = await query(
    branch,
    `select (select client_secret from auth.custom_oauth_providers) as secret,
       (select count(*) from net.http_request_queue)::int as requests,
       (select count(*) from auth.users where email like '%@corp.example')::int as users`,
  );
  expect(found).toEqual({ secret: '', requests: 0, users: 50 });
});

test('a branch has no journal of the rows that were changed in the project', async () => {
  const owner = await operator(project.backend);
  const { body } = await owner.call('POST', '/sql/run', {
    text: "update people set city = 'Bruges' where id = 1",
    confirmed: true,
  });
  expect(String(body)).toContain('"undo"');
  const branch = await createBranch({ mask: true });
  const there = await opened(branch, owner);
  expect((await owner.call('GET', '/undo')).body.entries).toHaveLength(1);
  expect((await there.call('GET', '/undo')).body).toMatchObject({ entries: [], isKept: true });
});

/** Opens the Console of a branch with a link from that of the project. */
async function opened(branch: Branch, by: Operator): Promise<Operator> {
  const { status, body } = await by.call('POST', `/branches/${branch.id}/link`, {});
  expect(status).toBe(200);
  const token = new URLSearchParams(new URL(body.url).hash.slice(1)).get('token') ?? '';
  const console = { fetch: (path: string, init?: RequestInit) => fetch(branch.console_url + path, init) };
  return await operatorOf({ console, consoleLink: async () => body.url }, token);
}

test("an operator's role in the project also applies to open sessions and tokens in a branch, until the operator is removed", async () => {
  const branch = await createBranch({ mask: false });
  const name = `dev-${crypto.randomUUID()}`;
  const owner = await operator(project.backend);
  const { body: made } = await owner.call('POST', '/operators', { name, role: 'developer' });
  const there = await opened(branch, await operator(project.backend, name));
  const { body: created } = await there.call('POST', '/tokens', {
    name: 'mine',
    role: 'developer',
    lifetimeDays: 30,
  });
  const withToken = async (): Promise<number> =>
    (
      await fetch(`${branch.console_url}/v1/projects`, {
        headers: { authorization: `Bearer ${created.token}` },
      })
    ).status;
  const roleThere = async (): Promise<unknown> => (await there.call('GET', '/session')).body.operator?.role;
  expect([await roleThere(), await withToken()]).toEqual(['developer', 200]);
  await owner.call('PATCH', `/operators/${made.operator.id}`, { role: 'read-only' });
  expect(await roleThere()).toBe('read-only');
  await owner.call('DELETE', `/operators/${made.operator.id}`);
  expect([(await there.call('GET', '/session')).status, await withToken()]).toEqual([401, 401]);
});
