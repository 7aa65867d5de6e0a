/** Tests that changes made in the Console are journaled and can be taken back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Answer, type Backend, type Operator, operator, rowsPath, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
let looker: Operator;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  looker = await operator(backend, 'looker');
});
afterAll(() => backend?.stop());

const exec = (text: string) => backend.database.pool('postgres').exec(text);
const rowsOf = async (text: string) =>
  (await backend.database.pool('postgres').queryText(sql.raw(text))).rows;

/** Runs a script on the SQL page and returns its last event. */
async function run(text: string, { by = owner, as }: { by?: Operator; as?: string } = {}) {
  const { body } = await by.call('POST', '/sql/run', { text, confirmed: true, ...(as ? { as } : {}) });
  const events = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const error = events.find(({ event }) => event === 'error');
  if (error !== undefined) throw new Error(error.message);
  return events.at(-1);
}

const detail = async (id: number, by = owner) => (await by.call('GET', `/undo/${id}`)).body;
const takeBack = (id: number, body: object = {}): Promise<Answer> => owner.call('POST', `/undo/${id}`, body);
const states = async (id: number): Promise<string[]> =>
  (await detail(id)).rows.map((row: { state: string }) => row.state);
const newest = async (by = owner) => (await by.call('GET', '/undo')).body.entries[0];

describe('the SQL page', () => {
  test('updates, deletes and inserts are taken back', async () => {
    await exec(`create table public.a (id int primary key, name text, made numeric generated always as (id * 2) stored);
      insert into public.a select i, 'n' || i from generate_series(1, 5) i`);
    const before = await rowsOf('select * from public.a order by id');
    const { undo } = await run(`update a set name = 'x' where id <= 2; delete from a where id = 3;
      insert into a values (9, 'new'); update a set name = 'y' where id = 2`);
    expect(undo.isPartial).toBe(false);
    expect(await states(undo.id)).toEqual(['ready', 'ready', 'ready', 'ready']);
    const { body } = await takeBack(undo.id);
    expect(body).toMatchObject({ undone: 4, conflicts: 0, entry: expect.any(Number) });
    expect(await rowsOf('select * from public.a order by id')).toEqual(before);
    expect(await states(undo.id)).toEqual(['done', 'done', 'done', 'done']);
    expect((await detail(undo.id)).undoneBy).toEqual([body.entry]);
    // Taking back the entry of the undo repeats the change.
    await takeBack(body.entry);
    expect(await rowsOf('select id, name from public.a order by id')).toEqual([
      ['1', 'x'],
      ['2', 'y'],
      ['4', 'n4'],
      ['5', 'n5'],
      ['9', 'new'],
    ]);
  });

  test('rows that foreign keys and triggers change are taken back too', async () => {
    await exec(`create table public.parent (id int primary key);
      create table public.child (id int primary key, parent int references public.parent on delete cascade,
        self int references public.child);
      create table public.log (text text primary key);
      create function public.note() returns trigger language plpgsql as $$ begin
        begin insert into public.log values (tg_op || old.id); exception when unique_violation then null; end;
        return null; end $$;
      create trigger note after delete on public.parent for each row execute function public.note();
      insert into public.parent values (1), (2);
      insert into public.child values (1, 1, null), (2, 1, 1), (3, 2, null)`);
    const { undo } = await run('delete from parent where id = 1');
    const entry = await detail(undo.id);
    expect(entry.tables.map(({ name, rows }: { name: string; rows: number }) => [name, rows]).sort()).toEqual(
      [
        ['child', 2],
        ['log', 1],
        ['parent', 1],
      ],
    );
    expect((await takeBack(undo.id)).body).toMatchObject({ undone: 4, conflicts: 0 });
    expect(await rowsOf('select id, parent, self from public.child order by id')).toEqual([
      ['1', '1', null],
      ['2', '1', '1'],
      ['3', '2', null],
    ]);
    expect(await rowsOf('select * from public.log')).toEqual([]);
  });

  test('changes of deferred triggers are captured', async () => {
    await exec(`create table public.late (id int primary key, n int);
      create table public.echo (id int primary key);
      create function public.echo() returns trigger language plpgsql as
        $$ begin insert into public.echo values (new.id); return null; end $$;
      create constraint trigger echo after insert on public.late deferrable initially deferred
        for each row execute function public.echo()`);
    const { undo } = await run('insert into late values (1, 1)');
    expect((await detail(undo.id)).tables).toHaveLength(2);
  });

  test('truncated tables are taken back, with those that CASCADE reaches', async () => {
    await exec(`create table public.t1 (id int primary key, name text);
      create table public.t2 (id int primary key, t1 int references public.t1);
      insert into public.t1 select i, 'n' || i from generate_series(1, 3) i;
      insert into public.t2 select i, i from generate_series(1, 3) i`);
    const { undo } = await run(`update t1 set name = 'x' where id = 1; insert into t1 values (4, 'four');
      truncate t1 cascade; insert into t1 values (2, 'again')`);
    expect(undo.isPartial).toBe(false);
    expect(await rowsOf('select * from public.t2')).toEqual([]);
    expect((await takeBack(undo.id)).body).toMatchObject({ undone: 6, conflicts: 0 });
    expect(await rowsOf('select * from public.t1 order by id')).toEqual([
      ['1', 'n1'],
      ['2', 'n2'],
      ['3', 'n3'],
    ]);
    expect(await rowsOf('select * from public.t2 order by id')).toHaveLength(3);
  });

  test('a truncated table that is too large, secret or missing is reported', async () => {
    await exec(`create table public.t3 (id int primary key);
      insert into public.t3 select generate_series(1, 10001)`);
    const { undo } = await run('truncate t3');
    expect((await detail(undo.id)).tables).toMatchObject([{ name: 't3', reason: 'too-large' }]);
    await expect(run('truncate no_such_table')).rejects.toThrow('does not exist');
  });

  test('a unique value that moved between rows is taken back', async () => {
    await exec(`create table public.slots (id int primary key, place int unique);
      insert into public.slots values (1, 10)`);
    const { undo } = await run('delete from slots where id = 1; insert into slots values (2, 10)');
    expect((await takeBack(undo.id)).body).toMatchObject({ undone: 2 });
    expect(await rowsOf('select * from public.slots')).toEqual([['1', '10']]);
  });

  test('a script that fails, only reads or controls its transactions has no entry', async () => {
    const last = (await newest())?.id;
    await expect(run(`update a set name = 'q'; select 1 / 0`)).rejects.toThrow('division by zero');
    expect((await run('select * from a')).undo).toBeUndefined();
    expect((await run(`begin; update a set name = name; rollback`)).undo).toBeUndefined();
    expect((await newest())?.id).toBe(last);
  });

  test('an unfinished transaction doesn’t appear, and a canceled one is removed', async () => {
    const [row] = await backend.database.pool('supabase_admin').query<{ id: number }>(sql`
      insert into _plinth.undo_entries (xid, operator_name, action, size_bytes)
      values (pg_current_xact_id(), 'ghost', 'sql.run', 0) returning id`);
    expect((await newest()).id).toBe(row?.id);
    const session = await backend.database.pool('supabase_admin').connect();
    await session.exec('begin; select pg_current_xact_id()');
    const [open] = await session.query<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`);
    const admin = backend.database.pool('supabase_admin');
    await admin.query(sql`insert into _plinth.undo_entries (xid, operator_name, action, size_bytes)
      values (${open?.xid}::xid8, 'ghost 2', 'sql.run', 0)`);
    expect((await newest()).operator).toBe('ghost');
    await session.exec('rollback');
    session.release();
    expect((await newest()).operator).toBe('ghost');
    expect(await admin.query(sql`select from _plinth.undo_entries where operator_name = 'ghost 2'`)).toEqual(
      [],
    );
  });
});

async function importFile(file: string) {
  const params = new URLSearchParams({ format: 'csv', mapping: '{"title":"title"}' });
  const response = await backend.console.fetch(`/console/api/tables/public/tasks/import?${params}`, {
    method: 'POST',
    headers: {
      cookie: owner.cookie,
      'x-plinth-csrf': owner.csrfToken,
      'content-type': 'application/octet-stream',
    },
    body: file,
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  return (await response.json()) as any;
}

describe('the table editor', () => {
  test('edits, inserts, bulk changes, deletions and imports are journaled', async () => {
    const rows = rowsPath('tasks');
    await owner.call('PATCH', rows, { edits: [{ key: { id: '7' }, changes: { title: { value: 'T' } } }] });
    const edited = await newest();
    expect(edited).toMatchObject({
      action: 'row.update',
      operator: 'owner',
      tables: [{ name: 'tasks', rows: 1 }],
    });
    const changed = await owner.call('POST', '/tables/public/tasks/change', {
      scope: { filters: [{ column: 'id', operator: 'lte', value: '3' }] },
      changes: { title: { value: 'bulk' } },
    });
    expect(changed.body).toMatchObject({ changed: 3, undo: { isPartial: false } });
    const deleted = await owner.call('DELETE', rows, { scope: { keys: [{ id: '8' }, { id: '9' }] } });
    expect(deleted.body.undo.isPartial).toBe(false);
    await owner.call('POST', rows, { values: { title: { value: 'new' } } });
    expect(await newest()).toMatchObject({ action: 'row.insert', tables: [{ rows: 1 }] });
    const imported = await importFile('title\nimported\nagain\n');
    expect(imported).toMatchObject({ rows: 2, undo: { isPartial: false } });
    expect((await takeBack(imported.undo.id)).body.undone).toBe(2);
    expect(await rowsOf(`select from public.tasks where title in ('imported', 'again')`)).toEqual([]);
    for (const id of [deleted.body.undo.id, changed.body.undo.id, edited.id]) await takeBack(id);
    expect(
      await rowsOf('select id, title from public.tasks where id in (1, 2, 3, 7, 8, 9) order by id'),
    ).toEqual([1, 2, 3, 7, 8, 9].map((id) => [String(id), `Task ${id}`]));
  });

  test('an edit in a table with other sessions’ changes is found by its key', async () => {
    await exec(
      `create table public.keyed (id int primary key, name text); insert into public.keyed values (1, 'a')`,
    );
    await owner.call('PATCH', rowsPath('keyed'), {
      edits: [{ key: { id: '1' }, changes: { id: { value: '5' }, name: { value: 'b' } } }],
    });
    const { id } = await newest();
    expect((await takeBack(id)).body).toMatchObject({ undone: 2, conflicts: 0 });
    expect(await rowsOf('select * from public.keyed')).toEqual([['1', 'a']]);
  });

  test('a persona’s changes are journaled if the persona sees them', async () => {
    await exec(`create table public.notes (id int primary key, text text, hidden boolean default false);
      alter table public.notes enable row level security;
      create policy see on public.notes for select to anon using (not hidden);
      create policy change on public.notes for update to anon using (true) with check (true);
      grant select, update on public.notes to anon;
      create function public.hide() returns trigger language plpgsql security definer as
        $$ begin update public.notes set text = 'side' where hidden; return null; end $$;
      create trigger hide after update on public.notes for each row when (new.text = 'both')
        execute function public.hide();
      insert into public.notes values (1, 'a', false), (2, 'b', true)`);
    const one = await run(`update notes set text = 'x' where id = 1`, { as: 'anon' });
    expect(one.undo.isPartial).toBe(false);
    const both = await run(`update notes set text = 'both' where id = 1`, { as: 'anon' });
    expect(both.undo.isPartial).toBe(true);
    expect((await detail(both.undo.id)).tables).toEqual([
      { schema: 'public', name: 'notes', rows: 2, reason: 'unclear' },
    ]);
  });
});

describe('conflicts', () => {
  test('are shown with the current values, skipped, and taken back only if confirmed', async () => {
    await exec(`create table public.c (id int primary key, name text);
      insert into public.c select i, 'n' || i from generate_series(1, 4) i`);
    const { undo } = await run(`update c set name = 'x' where id in (1, 2, 3); delete from c where id = 4`);
    await exec(`update public.c set name = 'other' where id = 1; delete from public.c where id = 2;
      insert into public.c values (4, 'again')`);
    const shown = await detail(undo.id);
    const byId = Object.fromEntries(
      shown.rows.map((row: { before: string[]; state: string; now: unknown; number: number }) => [
        row.before[0],
        row,
      ]),
    );
    expect([byId[1].state, byId[2].state, byId[3].state, byId[4].state]).toEqual([
      'changed',
      'missing',
      'ready',
      'exists',
    ]);
    expect([byId[1].now, byId[4].now]).toEqual([
      ['1', 'other'],
      ['4', 'again'],
    ]);
    expect((await takeBack(undo.id)).body).toMatchObject({ undone: 1, conflicts: 3 });
    const anyway = [1, 2, 4].map((id) => byId[id].number);
    expect((await takeBack(undo.id, { anyway })).body).toMatchObject({ undone: 3, conflicts: 0 });
    expect(await rowsOf('select * from public.c order by id')).toEqual(
      [1, 2, 3, 4].map((id) => [String(id), `n${id}`]),
    );
  });

  test('chosen rows are taken back alone', async () => {
    await exec('create table public.d (id int primary key); insert into public.d values (1), (2)');
    const { undo } = await run('delete from d');
    expect((await takeBack(undo.id, { rows: [1] })).body).toMatchObject({ undone: 1 });
    expect(await rowsOf('select * from public.d')).toEqual([['2']]);
  });

  test('a renamed table is found, and another table with its name isn’t', async () => {
    await exec(`create table public.e (id int primary key, gone text, name text);
      insert into public.e values (1, 'g', 'a'), (2, 'g', 'b')`);
    const { undo } = await run('delete from e where id = 1');
    await exec(`alter table public.e rename to e2; alter table public.e2 drop column gone;
      create table public.e (id int primary key, gone text, name text)`);
    expect((await takeBack(undo.id)).body).toMatchObject({ undone: 1 });
    expect(await rowsOf('select * from public.e')).toEqual([]);
    expect(await rowsOf('select * from public.e2 order by id')).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ]);
    await exec('drop table public.e2');
    expect(await states(undo.id)).toEqual(['no-table']);
    expect((await takeBack(undo.id, { anyway: [0] })).body).toMatchObject({ undone: 0, conflicts: 1 });
  });

  test('two undos at the same time restore a row once', async () => {
    await exec("create table public.bare (name text); insert into public.bare values (null), (null), ('b')");
    const { undo } = await run('delete from bare where name is null');
    const answers = await Promise.all([takeBack(undo.id), takeBack(undo.id), takeBack(undo.id)]);
    expect(answers.filter(({ body }) => body.undone === 2)).toHaveLength(1);
    expect(await rowsOf('select * from public.bare order by name')).toEqual([['b'], [null], [null]]);
    expect(await states(undo.id)).toEqual(['unknown', 'unknown']);
  });

  test('rows that another session changes at the same time aren’t attributed to the script', async () => {
    await exec(`create table public.busy (id int primary key, n int);
      insert into public.busy select i, 0 from generate_series(1, 10) i`);
    const holder = await backend.database.pool('postgres').connect();
    await holder.exec('select pg_advisory_lock(77)');
    const script = run('update busy set n = 1 where id <= 3; select pg_advisory_xact_lock(77)');
    const waiting = sql`select from pg_locks where locktype = 'advisory' and objid = 77 and not granted`;
    await expect.poll(() => holder.query(waiting)).toHaveLength(1);
    await exec('update public.busy set n = 2 where id > 5');
    holder.release();
    const { undo } = await script;
    const rows = (await detail(undo.id)).rows;
    expect(rows.map(({ after }: { after: string[] }) => after)).toEqual([
      ['1', '1'],
      ['2', '1'],
      ['3', '1'],
    ]);
  });
});

describe('rights and secrets', () => {
  test('a read-only operator sees entries but can’t take them back', async () => {
    const entry = await newest();
    expect((await detail(entry.id, looker)).rows.length).toBeGreaterThan(0);
    expect((await looker.call('POST', `/undo/${entry.id}`, {})).status).toBe(403);
  });

  test('rows of secret schemas aren’t journaled', async () => {
    await exec(
      `insert into auth.users (id, email, encrypted_password) values (gen_random_uuid(), 'x@example.com', 'pw-hash')`,
    );
    const { undo } = await run(
      `update auth.users set encrypted_password = 'changed-hash' where email = 'x@example.com'`,
    );
    expect((await detail(undo.id)).tables).toEqual([
      { schema: 'auth', name: 'users', rows: 1, reason: 'excluded' },
    ]);
    const stored = await backend.database
      .pool('supabase_admin')
      .query(sql`select before, after from _plinth.undo_rows`);
    expect(JSON.stringify(stored)).not.toContain('hash');
  });

  test('the project’s roles can’t read or write the journal', async () => {
    for (const role of ['anon', 'authenticated', 'service_role', 'postgres', 'authenticator'])
      for (const privilege of ['insert', 'update', 'delete'])
        expect(
          await backend.database.pool('supabase_admin').query(sql`
            select has_table_privilege(${role}, t, ${privilege}) as may
            from unnest('{_plinth.undo_entries,_plinth.undo_tables,_plinth.undo_rows}'::text[]) t`),
        ).toEqual([{ may: false }, { may: false }, { may: false }]);
  });

  test('hostile names and values are only values', async () => {
    const html = '<img src=x onerror=alert(1)>';
    await exec(
      `create table public."__proto__" (id int primary key, "__proto__" text, "constructor" text, "a""b" text)`,
    );
    const { undo } = await run(
      `insert into "__proto__" values (1, '${html}', $$'; drop table tasks; --$$, null)`,
    );
    const { rows, details } = await detail(undo.id);
    expect(details[0].columns).toEqual(['id', '__proto__', 'constructor', 'a"b']);
    expect(rows[0].after).toEqual(['1', html, "'; drop table tasks; --", null]);
    await takeBack(undo.id);
    expect(await rowsOf('select * from public."__proto__"')).toEqual([]);
  });

  test('large changes are applied, and the entry says why they aren’t journaled', async () => {
    await exec('create table public.large (id int primary key, text text)');
    const many = await run('insert into large select i, null from generate_series(1, 10001) i');
    expect((await detail(many.undo.id)).tables).toMatchObject([{ name: 'large', reason: 'too-large' }]);
    const long = await run(`update large set text = repeat('x', 9000000) where id = 1`);
    expect((await detail(long.undo.id)).tables).toMatchObject([
      { name: 'large', reason: 'too-large', rows: 1 },
    ]);
    const locked = await run(
      `lock table large in access exclusive mode; update large set text = 'l' where id = 2`,
    );
    expect((await detail(locked.undo.id)).tables).toMatchObject([{ name: 'large', reason: 'failed' }]);
  });

  test('IDs that aren’t in the journal are rejected', async () => {
    for (const id of ['0', '999999', 'x', '1e3', '99999999999999999999'])
      expect((await owner.call('GET', `/undo/${id}`)).status).toBe(404);
  });
});

test('expired entries are deleted', async () => {
  const admin = backend.database.pool('supabase_admin');
  const { id } = await newest();
  await admin.query(
    sql`update _plinth.undo_entries set at = now() - interval '15 days' where id = ${id}::bigint`,
  );
  expect((await owner.call('GET', `/undo/${id}`)).status).toBe(404);
  expect(await admin.query(sql`select from _plinth.undo_rows where entry_id = ${id}::bigint`)).toEqual([]);
});

test('entries can be filtered', async () => {
  const { body } = await owner.call('GET', '/undo/facets');
  expect(body.operators).toContain('owner');
  expect(body.actions).toContain('row.undo');
  const { body: found } = await owner.call('GET', `/undo?table=public.slots&action=sql.run&operator=owner`);
  expect(found.entries).toHaveLength(1);
  expect(found).toMatchObject({ isKept: true, days: 14, more: false });
});
