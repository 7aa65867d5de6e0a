/**
 * Tests the explanations on the access check. Each explanation must match the database's actual behavior, which the tests
 * observe with a separate REST request.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { operator } from './harness.ts';
import { ada, type Case, eve } from './why/case.ts';
import { startWhyProject } from './why/project.ts';
import { reads } from './why/reads.ts';
import { rights } from './why/rights.ts';
import { views } from './why/views.ts';
import { writes } from './why/writes.ts';

const cases = [...reads, ...writes, ...rights, ...views];

let project: Awaited<ReturnType<typeof startWhyProject>>;
beforeAll(async () => {
  project = await startWhyProject();
});
afterAll(() => project?.stop());

describe('the explanation matches the database', () => {
  test.each(cases.map((each) => [each.what, each] as const))('%s', async (_what, each) => {
    const before = await project.state();
    const { status, body } = await project.ask(each);
    expect([status, body.message]).toEqual([200, undefined]);
    expect(await project.state()).toBe(before);
    const met = await project.restoring(() => project.byRest(each));
    expect({ met, truth: body.truth.verdict }).toEqual({ met: each.verdict, truth: each.verdict });
    expect({
      explained: body.explanation.verdict,
      reason: body.explanation.reason,
      agrees: body.agrees,
    }).toEqual({
      explained: each.disagrees ? 'allowed' : each.verdict,
      reason: each.reason,
      agrees: each.disagrees !== true,
    });
  });

  test('there are at least forty cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
  });
});

describe('an explanation', () => {
  const find = (what: string): Case => {
    const found = cases.find((each) => each.what === what);
    if (found === undefined) throw new Error(what);
    return found;
  };

  test('contains each part of a condition with its value and the compared values', async () => {
    const { body } = await project.ask(find('another user’s row'));
    const [gate] = body.gates;
    expect(gate).toMatchObject({ clause: 'using', command: 'select', effect: 'hides', passes: false });
    expect(gate.policies[0]).toMatchObject({ name: 'read own or public', applies: true, value: false });
    expect(gate.policies[0].tree).toMatchObject({
      kind: 'or',
      value: false,
      parts: [
        {
          text: 'owner = auth.uid()',
          value: false,
          operands: [
            { text: 'owner', value: eve },
            { text: 'auth.uid()', value: ada },
          ],
        },
        { text: 'public', value: false },
      ],
    });
  });

  test('contains the missing grant, and the grant fixes the error', async () => {
    const missing = find('no grant on the sequence of a default');
    const { body } = await project.ask(missing);
    const [need] = body.needs.filter(({ held }: { held: boolean }) => !held);
    expect(need).toMatchObject({
      kind: 'sequence',
      fix: 'grant usage on sequence public.serial_notes_id_seq to authenticated;',
    });
    await project.backend.database.pool('postgres').exec(need.fix);
    expect((await project.ask(missing)).body.truth.verdict).toBe('allowed');
    await project.backend.database
      .pool('postgres')
      .exec('revoke usage on sequence public.serial_notes_id_seq from authenticated');
  });

  test('contains functions and views that run with another role’s privileges', async () => {
    const { body } = await project.ask(find('a security definer function returns false'));
    expect(body.gates[0].policies[0].functions).toEqual([
      { name: 'public.is_staff()', securityDefiner: true, owner: 'postgres', mayExecute: true },
    ]);
    const view = await project.ask(find('a view runs with its owner’s rights'));
    expect(view.body.through).toMatchObject([
      { name: 'notes', role: 'postgres', security: 'owner', mayRead: true },
    ]);
  });

  test('for a role that requests can’t have contains the database’s error', async () => {
    const { body } = await project.ask({ ...find('no row-level security'), as: { role: 'supabase_admin' } });
    expect(body.truth).toMatchObject({ verdict: 'refused', sqlstate: '42501' });
    const missing = await project.ask({ ...find('no row-level security'), as: { role: 'no one' } });
    expect([missing.status, missing.body.roleExists]).toEqual([200, false]);
  });

  test.each([
    'a user’s own row',
    'another user’s row',
    'giving a row away',
    'inserting an own row',
    'no grant at all',
    'deleting another user’s row',
  ])('contains a passing pgTAP test: %s', async (what) => {
    const { as, operation, table, key = {}, values = {}, returned = [] } = find(what);
    const { body } = await project.owner.call('POST', '/why/pgtap', {
      schema: 'public',
      table,
      as: project.address(as),
      operation,
      key,
      values,
      returned,
    });
    expect(body.text).toMatch(/^begin;\nselect plan\(1\);/);
    const pool = project.backend.database.pool('supabase_admin');
    await pool.exec(tapInMiniature);
    const lines = await pool.transaction(
      async (tx) => {
        const found: string[] = [];
        for (const statement of body.text.split(/;\n/).slice(1, -1)) {
          const { rows } = await tx.queryText(sql.raw(statement.replace(/^\s*--.*$/gm, '')));
          found.push(...rows.map(([cell]) => cell ?? ''));
        }
        return found;
      },
      { end: 'rollback', settings: [['search_path', 'public']] },
    );
    expect(lines.filter((line) => /^(not )?ok/.test(line))).toEqual([expect.stringMatching(/^ok 1/)]);
  });
});

/** Defines the few pgTAP functions that the tests use, so the extension isn't needed. */
const tapInMiniature = `
  create or replace function public.plan(int) returns text language sql as $$ select '1..' || $1 $$;
  create or replace function public.finish() returns setof text language sql as $$ select null::text where false $$;
  create or replace function public.isnt_empty(q text, d text) returns text language plpgsql as
    $$ declare r record; begin execute q into r; return case when r is null then 'not ok 1 - ' else 'ok 1 - ' end || d; end $$;
  create or replace function public.is_empty(q text, d text) returns text language plpgsql as
    $$ declare r record; begin execute q into r; return case when r is null then 'ok 1 - ' else 'not ok 1 - ' end || d; end $$;
  create or replace function public.throws_ok(q text, s text, m text, d text) returns text language plpgsql as
    $$ begin execute q; return 'not ok 1 - ' || d; exception when others then
       return case when sqlstate = s then 'ok 1 - ' else 'not ok 1 - ' end || d; end $$;
`;

describe('an attacker', () => {
  const notes = { schema: 'public', table: 'notes', as: 'anon', operation: 'select', key: { id: '1' } };
  const call = (body: object, who = project.owner) => who.call('POST', '/why', { ...notes, ...body });

  test('can’t use SQL in names and values', async () => {
    expect((await call({ table: 'notes; drop table public.notes' })).status).toBe(404);
    expect((await call({ key: { 'id = 1 or true --': '1' } })).status).toBe(400);
    expect((await call({ returned: ['id, (select 1)'] })).status).toBe(400);
    expect((await call({ operation: 'update', values: { 'body = now()': 'x' } })).status).toBe(400);
    const { body } = await call({
      operation: 'insert',
      as: 'operator',
      values: { id: '70', body: `'); drop table public.notes; --` },
    });
    expect(body.truth.verdict).toBe('allowed');
    expect((await call({ key: { id: `1'; drop table public.notes; --` } })).body.code).toBe('database');
    expect((await call({})).status).toBe(200);
  });

  test('can’t read Plinth’s own tables, or secrets without the permission for them', async () => {
    await project.backend.operators.createOperator('looker', 'read-only');
    const looker = await operator(project.backend, 'looker');
    expect((await call({ schema: '_plinth', table: 'operators' })).status).toBe(404);
    expect((await call({ schema: 'pg_catalog', table: 'pg_authid' })).status).toBe(404);
    expect((await call({ schema: 'auth', table: 'users' }, looker)).status).toBe(403);
    expect((await call({}, looker)).status).toBe(200);
    for (const operation of ['insert', 'update', 'delete'])
      expect((await call({ operation, values: { id: '1' } }, looker)).status).toBe(403);
  });

  test('can’t read rows of secret tables through a view without that permission', async () => {
    const { backend, owner } = project;
    await backend.database.pool('supabase_admin').exec(`
      create table net.queue (id int primary key, token text);
      alter table net.queue enable row level security;
      insert into net.queue values (1, 'a-token');
      create policy q on net.queue using (token <> 'none');
      alter table net.queue owner to postgres; grant usage on schema net to anon, postgres; grant select on net.queue to anon;
      create view public.queued with (security_invoker) as select id from net.queue;
      alter view public.queued owner to postgres; grant select on public.queued to anon;`);
    await backend.operators.createOperator('peeper', 'read-only');
    const peeper = await operator(backend, 'peeper');
    for (const [who, sees] of [
      [owner, true],
      [peeper, false],
    ] as const) {
      const { status, body } = await call({ table: 'queued' }, who);
      expect([status, body.truth.verdict, body.through[0].isEvaluated]).toEqual([200, 'allowed', sees]);
      expect(JSON.stringify(body).includes('a-token')).toBe(sees);
    }
  });

  test('can’t change data with a policy that writes', async () => {
    await project.backend.database.pool('postgres').exec(`
      create function public.note_it() returns boolean language plpgsql security definer as
        $$ begin insert into public.keyless values ('by a policy'); return true; end $$;
      create table public.watched (id int primary key);
      alter table public.watched enable row level security;
      insert into public.watched values (1);
      create policy w on public.watched using (public.note_it());
    `);
    for (const operation of ['select', 'delete']) {
      const { body } = await call({ table: 'watched', operation });
      expect(body.truth.verdict).toMatch(/allowed|refused/);
    }
    const [row] = await project.backend.database
      .pool('postgres')
      .query<{ n: number }>(sql`select count(*)::int as n from public.keyless where name = 'by a policy'`);
    expect(row?.n).toBe(0);
  });
});
