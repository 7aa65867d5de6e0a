/**
 * Tests the SQL page's API: how statements run, which require a confirmation, what is reported, and what a read-only
 * operator can't do.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createSeal } from '../../src/base/shared/seal.ts';
import { disconnected, onDisconnect } from '../../src/pages/console/core/disconnect.ts';
import { sealOlderRows } from '../../src/pages/console/sql-page/private-text.ts';
import { createRuns } from '../../src/pages/console/sql-page/runs.ts';
import { attackedObjects, attackedState, forbiddenSql } from './forbidden-sql.ts';
import { type Backend, type Operator, operator, startWithUser } from './harness.ts';

let backend: Backend;
let owner: Operator;
let looker: Operator;
let ada: string;
beforeAll(async () => {
  ({ backend, owner, userId: ada } = await startWithUser());
  looker = await operator(backend, 'looker');
  await backend.database.pool('postgres').exec(`
    create table public.own (id int primary key, owner uuid default auth.uid(), body text);
    alter table public.own enable row level security;
    create policy mine on public.own using (owner = auth.uid());
    insert into public.own values (1, '${ada}', 'hers'), (2, gen_random_uuid(), 'another''s');
    ${attackedObjects}
  `);
});
afterAll(() => backend?.stop());

type Line = Record<string, unknown> & { event: string };

async function run(
  who: Operator,
  text: string,
  more: Record<string, unknown> = {},
): Promise<{ status: number; body: Record<string, unknown>; lines: Line[] }> {
  const path = who === looker ? '/sql/look' : '/sql/run';
  const { status, body } = await who.call('POST', path, { text, ...more });
  if (status !== 200) return { status, body, lines: [] };
  const lines = (body as string)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return { status, body: {}, lines };
}

const rowsOf = (lines: Line[]): unknown[] =>
  lines.flatMap((line) => (line.event === 'rows' ? (line.rows as unknown[]) : []));
const find = (lines: Line[], event: string): Line | undefined => lines.find((line) => line.event === event);
const value = async (text: string): Promise<unknown> =>
  (await backend.database.pool('postgres').query<{ v: unknown }>(sql.raw(`select (${text}) as v`)))[0]?.v;

describe('a script', () => {
  test('returns one result per statement', async () => {
    const { lines } = await run(owner, `select 1 as one, null as n; -- and\n select 'a''b'::text as t;`);
    expect(lines.map(({ event }) => event)).toEqual([
      'run',
      'statement',
      'columns',
      'rows',
      'end',
      'statement',
      'columns',
      'rows',
      'end',
      'done',
    ]);
    expect(rowsOf(lines)).toEqual([['1', null], ["a'b"]]);
    expect(find(lines, 'columns')?.columns).toEqual([
      { name: 'one', type: 'integer' },
      { name: 'n', type: 'text' },
    ]);
    expect(find(lines, 'done')?.outcome).toBe('committed');
  });

  test('returns a limited number of rows, and whether there are more', async () => {
    const { lines } = await run(owner, 'select * from generate_series(1, 100000)', { maxRows: 250 });
    expect(rowsOf(lines)).toHaveLength(250);
    expect(find(lines, 'end')).toMatchObject({ more: true });
    const all = await run(owner, 'select * from generate_series(1, 250)', { maxRows: 250 });
    expect(find(all.lines, 'end')).toMatchObject({ more: false, tag: 'SELECT 250' });
  });

  test('returns a cell of many megabytes truncated, between two characters', async () => {
    const { lines } = await run(
      owner,
      `select repeat('ä', 3000) as a, 1 as b, repeat('x', 9000000) as c, '' as d`,
    );
    const [row] = rowsOf(lines) as string[][];
    expect(row?.map((cell) => cell.length)).toEqual([2048, 1, 4096, 0]);
    expect(row?.[0]).toBe('ä'.repeat(2048));
    expect(find(lines, 'rows')?.cut).toEqual([
      [0, 0],
      [0, 2],
    ]);
  });

  test('a truncated cell can be read completely, in a read-only transaction', async () => {
    const cell = async (body: object, who = owner) => who.call('POST', '/sql/cell', body);
    const text = `select n, repeat('ä', 300000) || n from generate_series(1, 5) n`;
    const { body } = await cell({ text, row: 3, column: 1 });
    expect([body.value.length, body.value.slice(-2), body.isCut]).toEqual([300_001, 'ä4', false]);
    expect((await cell({ text, row: 5, column: 1 })).body.code).toBe('gone');
    expect((await cell({ text, row: 1, column: 2 })).body.code).toBe('gone');
    expect((await cell({ text: `${text}; select 1`, row: 0, column: 0 })).status).toBe(400);
    const writes = `insert into public.keyless values ('again') returning name`;
    const refused = await cell({ text: writes, row: 0, column: 0 });
    expect([refused.status, refused.body.sqlstate]).toEqual([422, '25006']);
    const asAnon = await cell({ text: 'select current_user::text', row: 0, column: 0, as: 'anon' });
    expect(asAnon.body.value).toBe('anon');
    expect((await cell({ text, row: 0, column: 0 }, looker)).status).toBe(403);
    const look = { text: 'select title from public.tasks order by id', row: 0, column: 0 };
    expect((await looker.call('POST', '/sql/look/cell', look)).body.value).toBe('Task 1');
    // The connection is in its original state when it is released.
    expect(await value('select current_user::text')).toBe('postgres');
  });

  test('ends with the first error, which contains its position, and everything is rolled back', async () => {
    const script = `insert into public.keyless values ('😀 gone'); select '😀', nonsense from public.tasks; select 1`;
    const { lines } = await run(owner, script);
    const error = find(lines, 'error');
    expect(error).toMatchObject({ sqlstate: '42703', message: 'column "nonsense" does not exist' });
    expect(script.slice(error?.at as number)).toMatch(/^nonsense/);
    expect(lines.at(-1)).toMatchObject({ event: 'done', outcome: 'rolled back' });
    expect(await value(`select count(*)::int from public.keyless where name like '%gone'`)).toBe(0);
  });

  test('returns notices', async () => {
    const { lines } = await run(owner, `do $$ begin raise notice 'hello' using hint = 'there'; end $$`, {
      confirmed: true,
    });
    expect(find(lines, 'notice')).toMatchObject({ severity: 'NOTICE', message: 'hello', hint: 'there' });
  });

  test('fails if a deferred constraint fails at the end', async () => {
    await backend.database
      .pool('postgres')
      .exec('create table public.late (a int references public.tasks deferrable initially deferred)');
    const { lines } = await run(owner, 'insert into public.late values (-1)');
    expect(find(lines, 'error')).toMatchObject({ sqlstate: '23503' });
    expect(await value('select count(*)::int from public.late')).toBe(0);
  });

  test('can control its own transactions, and an open transaction is rolled back', async () => {
    const { lines } = await run(
      owner,
      `begin; insert into public.keyless values ('kept'); commit; begin; insert into public.keyless values ('left open')`,
    );
    expect(find(lines, 'done')?.outcome).toBe('left open');
    const failed = await run(owner, 'begin; select 1; select 1 / 0');
    expect(find(failed.lines, 'done')?.outcome).toBe('left open');
    const whole = await run(owner, 'begin; select 1; commit');
    expect(find(whole.lines, 'done')?.outcome).toBe('ended');
    expect(
      await value(`select array_agg(name) from public.keyless where name in ('kept', 'left open')`),
    ).toEqual(['kept']);
  });

  test('runs a statement that can’t run in a transaction outside of one', async () => {
    const { lines } = await run(owner, 'vacuum public.keyless');
    expect(find(lines, 'end')?.tag).toBe('VACUUM');
  });

  test('doesn’t affect other connections with COPY in either direction', async () => {
    const out = await run(owner, `copy (select 1, 'a') to stdout`);
    expect(rowsOf(out.lines)).toEqual([['1\ta\n']]);
    const into = await run(owner, 'copy public.keyless from stdin');
    expect(find(into.lines, 'error')).toMatchObject({ sqlstate: '57014' });
    expect(rowsOf((await run(owner, 'select 1')).lines)).toEqual([['1']]);
  });

  test('doesn’t leave any session state behind', async () => {
    await run(
      owner,
      `set search_path = pg_catalog; create temp table leftover (a int); select pg_advisory_lock(77)`,
    );
    // Connections are reset after the response.
    await expect
      .poll(async () => {
        const { lines } = await run(
          owner,
          `select current_setting('search_path'), to_regclass('pg_temp.leftover'), (select count(*) from pg_locks where locktype = 'advisory' and objid = 77)`,
        );
        return rowsOf(lines)[0];
      })
      .toEqual(['"$user", public, extensions', null, '0']);
  });

  test('can be canceled, but only by its operator', async () => {
    const response = await backend.console.fetch('/console/api/sql/run', {
      method: 'POST',
      headers: { cookie: owner.cookie, 'x-plinth-csrf': owner.csrfToken, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'select pg_sleep(60)' }),
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const { id } = await (async () => {
      while (!text.includes('"statement"')) text += Buffer.from((await reader.read()).value ?? []).toString();
      return JSON.parse(text.split('\n')[0] ?? '') as { id: string };
    })();
    expect((await looker.call('POST', `/sql/runs/${id}/cancel`)).body).toEqual({ cancelled: false });
    expect((await owner.call('POST', `/sql/runs/${id}/cancel`)).body).toEqual({ cancelled: true });
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += Buffer.from(part.value).toString();
    expect(text).toContain('"sqlstate":"57014"');
  });

  test('is ended after the time limit', async () => {
    const { lines } = await run(owner, 'select pg_sleep(60)', { timeoutMs: 200 });
    expect(find(lines, 'error')).toMatchObject({ sqlstate: '57014' });
    // If a script changes its own timeout, the server still cancels the script.
    const sly = await run(owner, 'set local statement_timeout = 0; select pg_sleep(60)', { timeoutMs: 200 });
    expect(find(sly.lines, 'error')).toMatchObject({ sqlstate: '57014' });
  });
});

describe('a client that doesn’t read', () => {
  /** Starts a run. Resolves with the size of the unread response after the run has ended. */
  async function unreadBytes(text: string): Promise<number> {
    const { hostname, port } = new URL(backend.console.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.pause();
    const body = JSON.stringify({ text, timeoutMs: 1500, maxRows: 10_000, confirmed: true });
    socket.write(
      `POST /console/api/sql/run HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${owner.cookie}\r\n` +
        `x-plinth-csrf: ${owner.csrfToken}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    const active = `(select count(*)::int from pg_stat_activity where state = 'active' and query like '%unread%' and pid <> pg_backend_pid())`;
    await expect.poll(() => value(active)).toBe(1);
    await expect.poll(() => value(active), { timeout: 15_000 }).toBe(0);
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
    socket.resume();
    await once(socket, 'close');
    return bytes;
  }

  test.each([
    `select repeat('unread', 600) from generate_series(1, 10000); `.repeat(8),
    `do $$ begin for i in 1..300000 loop raise notice '%', repeat('unread', 200); end loop; end $$`,
  ])('doesn’t make the server buffer the response, and the run ends at its time limit', async (text) => {
    expect(await unreadBytes(text)).toBeLessThan(30_000_000);
  });
});

describe('the runs of an operator', () => {
  test('leave space for other operators', async () => {
    const runs = createRuns();
    const first = runs.begin('1');
    runs.begin('1');
    expect(() => runs.begin('1')).toThrow('Too many operations');
    const other = runs.begin('2');
    expect(() => runs.begin('2')).toThrow('Too many operations');
    other.finish();
    first.finish();
    runs.begin('1');
  });
});

describe('destructive statements', () => {
  test('require confirmation', async () => {
    await backend.database
      .pool('postgres')
      .exec('create table public.doomed (a int); insert into public.doomed values (1)');
    const asked = await run(owner, 'select 1; delete from public.doomed; drop table public.doomed');
    expect(asked.status).toBe(409);
    expect(asked.body.code).toBe('confirm');
    expect(asked.body.questions).toMatchObject([
      { danger: 'delete-all', statement: 'delete from public.doomed' },
      { danger: 'drop', statement: 'drop table public.doomed' },
    ]);
    expect(await value('select count(*)::int from public.doomed')).toBe(1);
    const agreed = await run(owner, 'drop table public.doomed', { confirmed: true });
    expect(find(agreed.lines, 'done')?.outcome).toBe('committed');
  });

  test('and all other statements are in the audit log, without their text', async () => {
    await run(owner, `insert into public.keyless values ('a secret')`);
    const [entry] = await backend.database
      .pool('supabase_admin')
      .query<{ detail: object }>(
        sql`select action, target, detail from _plinth.audit_log order by id desc limit 1`,
      );
    expect(entry).toEqual({
      action: 'sql.run',
      target: 'operator',
      detail: { commands: ['INSERT 0 1'], failed: false },
    });
  });
});

describe('as a persona,', () => {
  const body = `select body from public.own order by id`;
  const claims = (value: object) => `claims:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

  test.each<[string, () => string, unknown[]]>([
    ['the operator sees every row', () => 'operator', [['hers'], ["another's"]]],
    ['anon sees no rows', () => 'anon', []],
    ['a user sees only their own rows', () => `user:${ada}`, [['hers']]],
    ['claims are used as in a token', () => claims({ role: 'authenticated', sub: ada }), [['hers']]],
    ['the service role sees every row', () => claims({ role: 'service_role' }), [['hers'], ["another's"]]],
  ])('%s', async (_name, as, expected) => {
    expect(rowsOf((await run(owner, body, { as: as() })).lines)).toEqual(expected);
    expect(rowsOf((await run(looker, body, { as: as() })).lines)).toEqual(expected);
  });

  test('writes are checked as this user', async () => {
    const { lines } = await run(owner, `insert into public.own (id, owner) values (9, gen_random_uuid())`, {
      as: `user:${ada}`,
    });
    expect(find(lines, 'error')).toMatchObject({ sqlstate: '42501' });
    const own = await run(owner, `insert into public.own (id) values (8) returning owner`, {
      as: `user:${ada}`,
    });
    expect(rowsOf(own.lines)).toEqual([[ada]]);
  });

  test('a role that no request can have is rejected', async () => {
    for (const role of ['postgres', 'supabase_admin', 'pg_read_all_data', 'unknown "x"']) {
      const { lines } = await run(owner, 'select 1', { as: claims({ role }) });
      expect([role, find(lines, 'error')?.sqlstate]).toEqual([role, expect.stringMatching(/42501|22023/)]);
    }
  });

  test('a script can’t end the transaction, because the persona would end with it', async () => {
    const { lines } = await run(owner, 'commit; select current_user', { as: 'anon' });
    expect(find(lines, 'error')?.message).toContain('run with “View as” share one transaction');
  });
});

describe('a read-only operator', () => {
  test('can’t use the routes that can change data', async () => {
    for (const path of ['/sql/run', '/sql/explain'])
      expect((await looker.call('POST', path, { text: 'select 1' })).status).toBe(403);
    expect((await looker.call('POST', '/sql/saved', { name: 'x', text: 'select 1' })).status).toBe(403);
  });

  test.each([
    ['select title from public.tasks where id = 1', 'Task 1'],
    ['with t as (select count(*) as n from public.tasks) select n from t', '350'],
    [`select string_agg(title, ', ' order by id) from tasks where id < 3`, 'Task 1, Task 2'],
    ['values (1)', '1'],
    ['select a.id, b.id, 1, 2 from tasks a join tasks b using (id) where id = 3', '3'],
    ['select 1 as plinth_rows, $$) plinth_rows$$ as ") plinth_rows"', '1'],
    ['table public.own limit 1', '1'],
    [`select upper('x') || to_char(now(), '"y"')`, 'Xy'],
    ['select relname from pg_class where relname = $$tasks$$', 'tasks'],
    [`select data ->> 'n' from tasks where id = 7`, '7'],
    ['select encode(extensions.digest($$a$$, $$md5$$), $$hex$$)', '0cc175b9c0f1b6a831c399e269772661'],
    ['select pg_total_relation_size($$public.keyless$$) >= 0', 't'],
    ['select rank() over (order by id desc) from tasks where id = 350', '1'],
  ])('can run %s', async (text, expected) => {
    const { lines } = await run(looker, text);
    expect((rowsOf(lines)[0] as string[] | undefined)?.[0]).toBe(expected);
    expect(find(lines, 'done')?.outcome).toBe('rolled back');
  });

  test.each(forbiddenSql)('can’t run %s', async (text) => {
    const before = await value(attackedState);
    const { status, lines } = await run(looker, text);
    const error = find(lines, 'error');
    expect([status, error !== undefined]).toEqual([200, true]);
    expect(rowsOf(lines)).toEqual([]);
    expect(await value(attackedState)).toBe(before);
  });

  test('a function that an operator or a cast calls is checked like a direct call', async () => {
    await backend.database.pool('postgres').exec(`
      create function public.op(int, int) returns int language plpgsql as $$ begin perform public.tidy(); return 1; end $$;
      create operator public.<#> (function = public.op, leftarg = int, rightarg = int);
      create type public.odd as (a int);
      create function public.to_odd(int) returns public.odd language plpgsql as $$ begin perform public.tidy(); return row($1); end $$;
      create cast (int as public.odd) with function public.to_odd(int);
      create aggregate public.agg(int) (sfunc = public.op, stype = int, initcond = '0');
    `);
    for (const text of [
      'select 1 <#> 2',
      'select 1::public.odd',
      'select public.agg(1)',
      'select * from generate_series(1, 2) g where g <#> 1 = 1',
    ]) {
      const { lines } = await run(looker, text);
      expect([text, find(lines, 'error')?.sqlstate]).toEqual([text, 'read_only']);
    }
  });

  test('PostgreSQL’s own functions and operators run even if a schema on the search path has better matches', async () => {
    const db = backend.database.pool('postgres');
    await db.exec(`
      create function public.concat(text, text) returns text language sql security definer as $$ select current_user::text $$;
      create function public.joined(text, int) returns text language sql security definer as $$ select current_user::text $$;
      create operator public.|| (function = public.joined, leftarg = text, rightarg = int);
    `);
    const queries = [
      `select pg_catalog.concat('a'::text, 'b'::text)`,
      `select 'a'::text operator(pg_catalog.||) 1`,
      'select pg_catalog.concat(:a, :b)',
    ];
    const parameters = ['a', 'b'].map((name) => ({ name, type: 'text', value: name }));
    for (const text of queries) {
      for (const as of ['operator', 'anon']) {
        const [row] = rowsOf((await run(looker, text, { parameters, as })).lines);
        expect([text, as, row]).toEqual([text, as, [text.endsWith('1') ? 'a1' : 'ab']]);
      }
    }
    for (const text of [`select concat('a'::text, 'b'::text)`, `select 'a'::text || 1`])
      expect([text, find((await run(looker, text)).lines, 'error')?.sqlstate]).toEqual([text, 'read_only']);
    await db.exec(
      `drop operator public.|| (text, int); drop function public.joined, public.concat(text, text)`,
    );
  });

  test('can see plans, but only of queries', async () => {
    const good = await looker.call('POST', '/sql/look/explain', {
      text: 'select * from tasks',
      analyze: true,
    });
    expect(good.body.plans[0].plan.Plan['Node Type']).toBe('Seq Scan');
    for (const text of ['delete from public.tasks', 'select public.tidy()', 'analyze select 1'])
      expect((await looker.call('POST', '/sql/look/explain', { text, analyze: true })).status).toBe(403);
  });
});

describe('plans', () => {
  const explain = async (text: string, more: object = {}) =>
    (await owner.call('POST', '/sql/explain', { text, ...more })).body.plans;

  test('with timings roll the statement back', async () => {
    const [{ plan }] = await explain('delete from public.keyless', { analyze: true });
    expect(plan.Plan.Operation).toBe('Delete');
    expect(plan.Plan['Actual Total Time']).toBeGreaterThan(0);
    expect(await value('select count(*) > 0 from public.keyless')).toBe(true);
  });

  test('contain the persona’s policies', async () => {
    const filter = async (as: string) =>
      (await explain('select * from public.own', { as }))[0].plan.Plan.Filter;
    expect(await filter('operator')).toBeUndefined();
    expect(await filter('anon')).toContain('request.jwt.claims');
  });

  test('are returned for every statement, even if another one fails or doesn’t have a plan', async () => {
    const text = `select :n::int; set local work_mem = '8MB'; select nope from public.tasks;
      update public.tasks set note = 'x' where id = :n; create table public.copied as select 1`;
    const plans = await explain(text, { analyze: true, parameters: [{ name: 'n', value: '1' }] });
    expect(plans.map((each: { plan: { Plan: object } | null }) => each.plan !== null)).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(plans[1].error).toBeNull();
    expect(plans[2].error).toMatchObject({ sqlstate: '42703', at: text.indexOf('nope') });
    expect(await value(`select note from public.tasks where id = 1`)).not.toBe('x');
    expect(await value(`select to_regclass('public.copied') is null`)).toBe(true);
  });

  test('depend on the changes of the statements before them', async () => {
    const plans = await explain(`delete from public.tasks; select * from public.tasks`, { analyze: true });
    expect(plans[1].plan.Plan['Actual Rows']).toBe(0);
    expect(await value('select count(*)::int from public.tasks')).toBe(350);
  });
});

describe('parameters', () => {
  test('are bound by name or number and never become SQL', async () => {
    const attack = `'); drop table public.tasks; --`;
    const { lines } = await run(
      owner,
      'select :text as a, $1 + 1 as b, :none::text as c; select :text || 1',
      {
        parameters: [
          { name: 'text', type: 'text', value: attack },
          { name: '1', type: 'integer', value: '41' },
          { name: 'none', value: null },
        ],
      },
    );
    expect(rowsOf(lines)).toEqual([[attack, '42', null], [`${attack}1`]]);
  });

  test('must have a value, and an invalid value causes PostgreSQL’s error', async () => {
    const missing = await run(owner, 'select :a, $3');
    expect([missing.status, missing.body.message]).toEqual([
      400,
      'Enter a value for each parameter: :a, $3.',
    ]);
    const wrong = await run(owner, 'select :a', { parameters: [{ name: 'a', type: 'uuid', value: 'x' }] });
    expect(find(wrong.lines, 'error')).toMatchObject({ sqlstate: '22P02' });
    const script = 'select :long_parameter_name, nope';
    const { lines } = await run(owner, script, { parameters: [{ name: 'long_parameter_name', value: '1' }] });
    expect(find(lines, 'error')?.at).toBe(script.indexOf('nope'));
  });

  test('work for read-only operators, whose queries are checked', async () => {
    const select = 'select id, title from public.tasks where id = :id and title like :title';
    const parameters = [
      { name: 'id', value: '7' },
      { name: 'title', type: 'text', value: 'Task%' },
    ];
    expect(rowsOf((await run(looker, select, { parameters })).lines)).toEqual([['7', 'Task 7']]);
    const inList = 'select title from public.tasks where id in (:a, $2) and done = :done limit :count';
    const several = [
      { name: 'a', type: 'integer', value: '1' },
      { name: '2', value: '2' },
      { name: 'done', type: 'boolean', value: 'false' },
      { name: 'count', value: '1' },
    ];
    expect(rowsOf((await run(looker, inList, { parameters: several })).lines)).toEqual([['Task 1']]);
    const attack = [{ name: 'a', type: 'text', value: `'), public.tidy(), ('` }];
    expect(rowsOf((await run(looker, 'select :a', { parameters: attack })).lines)).toEqual([
      [attack[0]?.value],
    ]);
    const closed = await run(looker, 'select encrypted_password from auth.users where email = :a', {
      parameters: attack,
    });
    expect(find(closed.lines, 'error')?.message).toContain("can't read auth.users");
    const name = [{ name: 'a', value: 'server_version' }];
    expect(
      find((await run(looker, 'select current_setting(:a)', { parameters: name })).lines, 'error')?.message,
    ).toContain('current_setting');
  });

  test('are found in a script', async () => {
    const { body } = await looker.call('POST', '/sql/parameters', { text: `select :a, ':b', $2::text` });
    expect(body.names).toEqual(['a', '2']);
  });
});

describe('repeated runs', () => {
  test('can’t change anything and aren’t in the history or the audit log', async () => {
    await owner.call('DELETE', '/sql/history');
    const { lines } = await run(owner, 'select 5', { repeated: true });
    expect(rowsOf(lines)).toEqual([['5']]);
    const writes = await run(owner, `insert into public.keyless values ('again')`, { repeated: true });
    expect(find(writes.lines, 'error')).toMatchObject({ sqlstate: '25006' });
    const own = await run(owner, 'begin; select 1; commit', { repeated: true });
    expect(find(own.lines, 'error')?.message).toContain('remove BEGIN');
    expect((await owner.call('GET', '/sql/history')).body.entries).toEqual([]);
  });
});

describe('exports', () => {
  async function exported(who: Operator, request: object) {
    const path = who === looker ? '/sql/look/exports' : '/sql/exports';
    const { status, body } = await who.call('POST', path, request);
    expect([status, body]).toMatchObject([200, { id: expect.any(String) }]);
    return { id: body.id as string, file: await who.call('GET', `/sql/exports/${body.id}`) };
  }

  test('contain every row, not only the rows that are shown', async () => {
    const { file } = await exported(owner, {
      text: 'select n, repeat($1, 1000) as long from generate_series(1, 20000) n',
      parameters: [{ name: '1', type: 'text', value: 'ä' }],
      format: 'csv',
      name: 'Große Liste',
    });
    const lines = (file.body as string).trim().split('\r\n');
    expect([lines.length, lines[0], lines[20_000]?.slice(0, 7)]).toEqual([20_001, 'n,long', '20000,ä']);
    expect(file.headers.get('content-disposition')).toContain(`filename*=UTF-8''Gro%C3%9Fe%20Liste.csv`);
  });

  test('to CSV disable formulas, unless the operator wants the exact text', async () => {
    const text = `select '=cmd|calc' as a, -5 as b, null as c, '' as d, '@x' as "=head"`;
    const { file } = await exported(owner, { text, format: 'csv' });
    expect(file.body).toBe(`a,b,c,d,'=head\r\n'=cmd|calc,-5,,"",'@x\r\n`);
    const exact = await exported(owner, { text, format: 'csv', guarded: false });
    expect(exact.file.body).toBe('a,b,c,d,=head\r\n=cmd|calc,-5,,"",@x\r\n');
  });

  test('to JSON keep the types', async () => {
    const text = `select 1.50 as n, true as b, '{"a":[1]}'::jsonb as j, array['x', null] as l, null as z, 2 as n`;
    const { file } = await exported(owner, { text, format: 'json' });
    expect(file.body).toEqual([{ n: 1.5, b: true, j: { a: [1] }, l: ['x', null], z: null, n_2: 2 }]);
    const none = await exported(owner, { text: 'select 1 as a where false', format: 'json' });
    expect(none.file.body).toEqual([]);
  });

  test('are read-only, can be downloaded once, and only by their operator', async () => {
    const writes = await exported(owner, {
      text: `insert into public.keyless values ('again') returning name`,
      format: 'csv',
    });
    expect([writes.file.status, writes.file.body.sqlstate]).toEqual([422, '25006']);
    const none = await exported(owner, { text: 'set work_mem = 1000', format: 'csv' });
    expect(none.file.status).toBe(400);
    const { id } = await exported(owner, { text: 'select 1', format: 'csv' });
    expect((await owner.call('GET', `/sql/exports/${id}`)).status).toBe(410);
    const { body } = await owner.call('POST', '/sql/exports', { text: 'select 1', format: 'csv' });
    expect((await looker.call('GET', `/sql/exports/${body.id}`)).status).toBe(410);
    expect((await looker.call('POST', '/sql/exports', { text: 'select 1', format: 'csv' })).status).toBe(403);
  });

  test('of one operator don’t replace those of others', async () => {
    const { body } = await owner.call('POST', '/sql/exports', { text: 'select 1', format: 'csv' });
    for (let count = 0; count < 25; count++)
      await looker.call('POST', '/sql/look/exports', { text: 'select 1', format: 'csv' });
    expect((await owner.call('GET', `/sql/exports/${body.id}`)).status).toBe(200);
  });

  test('with a row that doesn’t fit in memory fail, regardless of which cells are large', async () => {
    for (const text of [
      `select repeat('x', 40000000)`,
      `select repeat('x', 20000000), repeat('y', 20000000)`,
    ]) {
      const { file } = await exported(looker, { text, format: 'csv' });
      expect([file.status, file.body.message]).toEqual([409, expect.stringContaining('32 MiB')]);
    }
    const { file } = await exported(looker, { text: `select length(repeat('x', 40000000))`, format: 'csv' });
    expect(file.body).toBe('length\r\n40000000\r\n');
  });

  test('release their run whenever they are aborted', async () => {
    const { hostname, port } = new URL(backend.console.url);
    for (let count = 0; count < 4; count++) {
      const { body } = await looker.call('POST', '/sql/look/exports', { text: 'select 1', format: 'csv' });
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(
        `GET /console/api/sql/exports/${body.id} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${looker.cookie}\r\n\r\n`,
      );
      setTimeout(() => socket.destroy(), count);
      await once(socket, 'close');
    }
    await expect
      .poll(async () => (await exported(looker, { text: 'select 1 as one', format: 'csv' })).file.body)
      .toBe('one\r\n1\r\n');
    const runs = createRuns();
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.destroy();
    await once(response, 'close');
    expect(disconnected(response).aborted).toBe(true);
    for (let count = 0; count < 4; count++) {
      const { finish } = runs.begin('1');
      onDisconnect(response, finish);
    }
  });

  test('of a read-only operator are checked, and of a persona use its policies', async () => {
    const look = await exported(looker, { text: 'select auth.uid(), 1 as one', format: 'json' });
    expect(look.file.body).toEqual([{ uid: null, one: 1 }]);
    const closed = await exported(looker, { text: 'select * from auth.users', format: 'csv' });
    expect([closed.file.status, closed.file.body.code]).toEqual([403, 'read_only']);
    const as = `user:${ada}`;
    const hers = await exported(owner, {
      text: 'select body from public.own where id = 1',
      format: 'json',
      as,
    });
    expect(hers.file.body).toEqual([{ body: 'hers' }]);
  });
});

test('the history is private to each operator', async () => {
  await owner.call('DELETE', '/sql/history');
  await run(owner, 'select 41');
  await run(owner, 'select nonsense', { as: 'anon' });
  const { body } = await owner.call('GET', '/sql/history');
  expect(
    body.entries.map(({ text, persona, error }: Record<string, unknown>) => [text, persona, error]),
  ).toEqual([
    ['select nonsense', 'anon', 'column "nonsense" does not exist'],
    ['select 41', 'operator', null],
  ]);
  const theirs = (await looker.call('GET', '/sql/history')).body.entries.map(
    ({ text }: { text: string }) => text,
  );
  expect(theirs).not.toContain('select 41');
});

describe('saved queries', () => {
  let maker: Operator;
  beforeAll(async () => {
    await backend.operators.createOperator('maker', 'developer');
    maker = await operator(backend, 'maker');
  });
  const names = async (who: Operator) =>
    (await who.call('GET', '/sql/saved')).body.saved.map(({ name }: { name: string }) => name);
  const input = (name: string, isShared: boolean, text = 'select 1') => ({ name, isShared, text });

  test('are private until they are shared, and keep their folder and view', async () => {
    const view = {
      parameters: [{ name: 'n', type: 'integer', value: '5' }],
      charts: { 0: { kind: 'bar', x: 'day', y: ['count'] } },
    };
    const made = await maker.call('POST', '/sql/saved', {
      ...input('<b>Mine</b>', false),
      folder: 'Ops',
      view,
    });
    expect(made.body).toMatchObject({
      owner: 'maker',
      folder: 'Ops',
      view,
      isShared: false,
      mayChange: true,
    });
    expect(await names(owner)).toEqual([]);
    expect(await names(looker)).toEqual([]);
    const path = `/sql/saved/${made.body.id}`;
    expect((await owner.call('PUT', path, input('stolen', true))).status).toBe(404);
    expect((await owner.call('DELETE', path)).status).toBe(404);
    expect((await maker.call('PUT', path, input('Ours', true, 'select 2'))).body).toMatchObject({
      folder: '',
    });
    const [shared] = (await looker.call('GET', '/sql/saved')).body.saved;
    expect(shared).toMatchObject({ name: 'Ours', text: 'select 2', mayChange: false });
    expect((await maker.call('DELETE', path)).status).toBe(204);
  });

  test('can’t be read with SQL while they are private, and neither can the history', async () => {
    const admin = backend.database.pool('supabase_admin');
    const body = { ...input('Hidden', false, `select 'hush-query'`), view: { parameters: [] } };
    const { body: made } = await maker.call('POST', '/sql/saved', body);
    expect(made.text).toBe(body.text);
    await run(maker, `select 'hush-run'`);
    // The following statement inserts a row as an earlier version would.
    await admin.query(sql`
      insert into _plinth.saved_queries (name, text, owner_id, owner_name, saved_by)
      select 'Older', 'select ''hush-older''', o.id, o.name, o.name from _plinth.operators o where name = 'maker'`);
    const folder = mkdtempSync(join(tmpdir(), 'plinth-seal-'));
    await sealOlderRows({ db: admin, seal: createSeal(join(folder, 'other.key')) });
    rmSync(folder, { recursive: true });
    const stored = await backend.database.pool('postgres').query(sql`
      select q::text from _plinth.saved_queries q union all select h::text from _plinth.sql_history h`);
    expect(JSON.stringify(stored)).not.toContain('hush');
    const { saved } = (await maker.call('GET', '/sql/saved')).body;
    const texts = saved.map(({ text }: { text: string }) => text);
    // The older row can't be read, because it was encrypted with a different key.
    expect(texts).toContain(`select 'hush-query'`);
    expect(texts).toContainEqual(expect.stringContaining('the Console’s key was replaced'));
    expect((await maker.call('GET', '/sql/history')).body.entries[0].text).toBe(`select 'hush-run'`);
    const shared = await maker.call('PUT', `/sql/saved/${made.id}`, { ...body, isShared: true });
    expect(shared.body.text).toBe(body.text);
    const [found] = (await owner.call('GET', '/sql/saved')).body.saved;
    expect(found.text).toBe(body.text);
    const hidden = await maker.call('PUT', `/sql/saved/${made.id}`, body);
    expect([hidden.body.isShared, hidden.body.text]).toEqual([false, body.text]);
    await maker.call('DELETE', `/sql/saved/${made.id}`);
  });

  test('of another operator can be changed, but not hidden, and only by owners', async () => {
    const { body } = await owner.call('POST', '/sql/saved', input('Owned', true));
    const path = `/sql/saved/${body.id}`;
    expect((await maker.call('PUT', path, input('Owned', true))).status).toBe(403);
    expect((await maker.call('DELETE', path)).status).toBe(403);
    expect((await looker.call('PUT', path, input('Owned', true))).status).toBe(403);
    expect((await looker.call('DELETE', path)).status).toBe(403);
    expect((await looker.call('POST', '/sql/saved', input('Mine', false))).status).toBe(403);
    const theirs = await maker.call('POST', '/sql/saved', input('Theirs', true));
    const changed = await owner.call('PUT', `/sql/saved/${theirs.body.id}`, input('Better', false));
    expect(changed.body).toMatchObject({ name: 'Better', isShared: true, owner: 'maker', savedBy: 'owner' });
    expect((await owner.call('DELETE', path)).status).toBe(204);
    expect((await owner.call('DELETE', `/sql/saved/x'`)).status).toBe(400);
    const audited = await backend.database.pool('supabase_admin').query<{ action: string }>(sql`
      select action from _plinth.audit_log where action like 'query.%' order by id desc limit 2`);
    expect(audited.map(({ action }) => action)).toEqual(['query.remove', 'query.change']);
  });

  test('the maximum number holds for concurrent requests', async () => {
    await backend.operators.createOperator('collector', 'developer');
    const collector = await operator(backend, 'collector');
    const admin = backend.database.pool('supabase_admin');
    const [row] = await admin.query<{ id: string }>(
      sql`select id from _plinth.operators where name = 'collector'`,
    );
    await admin.query(sql`
      insert into _plinth.saved_queries (name, text, owner_id, owner_name, saved_by)
      select 'Many ' || n, 'select 1', ${row?.id}, 'collector', 'collector' from generate_series(1, 999) n`);
    const { sent } = await admin.transaction(async (tx) => {
      await tx.query(sql`select from _plinth.operators where id = ${row?.id} for update`);
      const answers = ['Last', 'One too many'].map((name) =>
        collector.call('POST', '/sql/saved', input(name, false)),
      );
      let answered = 0;
      for (const answer of answers)
        void answer.then(() => {
          answered += 1;
        });
      await expect
        .poll(async () => {
          const waiting = await admin.query(sql`
            select from pg_stat_activity
            where datname = current_database() and usename = 'supabase_admin' and wait_event_type = 'Lock'`);
          return waiting.length + answered;
        })
        .toBe(2);
      return { sent: Promise.all(answers) };
    });
    expect((await sent).filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('have a unique name per operator and folder', async () => {
    await maker.call('POST', '/sql/saved', input('Twice', false));
    const again = await maker.call('POST', '/sql/saved', input('Twice', false));
    expect([again.status, again.body.code]).toEqual([409, 'taken']);
    expect((await maker.call('POST', '/sql/saved', { ...input('Twice', false), folder: 'x' })).status).toBe(
      200,
    );
    expect((await owner.call('POST', '/sql/saved', input('Twice', false))).status).toBe(200);
  });

  test('that are private are deleted with their owner', async () => {
    await backend.operators.createOperator('leaver', 'developer');
    const leaver = await operator(backend, 'leaver');
    await leaver.call('POST', '/sql/saved', input('Left private', false));
    await leaver.call('POST', '/sql/saved', input('Left shared', true));
    const { body } = await owner.call('GET', '/operators');
    const { id } = body.operators.find(({ name }: { name: string }) => name === 'leaver');
    expect((await owner.call('DELETE', `/operators/${id}`)).status).toBe(204);
    const left = await backend.database.pool('supabase_admin').query<{ name: string }>(sql`
      select name from _plinth.saved_queries where name like 'Left %'`);
    expect(left).toEqual([{ name: 'Left shared' }]);
    const { saved } = (await maker.call('GET', '/sql/saved')).body;
    expect(saved.find(({ name }: { name: string }) => name === 'Left shared').mayChange).toBe(false);
  });
});

test('completion names come from the live schema, without Plinth’s own tables', async () => {
  const { body } = await looker.call('GET', '/sql/names');
  expect(body.tables[0]).toMatchObject({ schema: 'public' });
  const tasks = body.tables.find(({ name }: { name: string }) => name === 'tasks');
  expect(tasks.columns).toContain('priority');
  expect(body.functions).toContainEqual({ name: 'auth.uid', detail: '()' });
  expect(JSON.stringify(body)).not.toContain('_plinth');
});
