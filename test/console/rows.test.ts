import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Answer, type Backend, type Operator, operator, rowsPath, startBackend } from './harness.ts';

let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await startBackend();
  owner = await operator(backend);
});
afterAll(() => backend?.stop());

const run = (text: string) => backend.database.pool('postgres').query(sql.raw(text));
/** Edits one row. If the edit succeeds, the returned body is the result for this row. */
async function editIn(table: string, key: object, changes: object, seen: object = {}): Promise<Answer> {
  const response = await owner.call('PATCH', rowsPath(table), { edits: [{ key, changes, seen }] });
  return response.status === 200 ? { ...response, body: response.body.rows[0] } : response;
}
const edit = (id: string, changes: object, seen: object = {}) => editIn('tasks', { id }, changes, seen);

describe('reading', () => {
  test('returns a page in the order of the primary key, with the row count', async () => {
    const { body } = await owner.call('GET', rowsPath('tasks', { limit: '2' }));
    expect(body.columns).toEqual(['id', 'title', 'note', 'mood', 'done', 'priority', 'data']);
    expect(body.rows[0]).toEqual(['1', 'Task 1', '', 'calm', 'false', '2', '{"n": 1}']);
    expect(body.more).toBe(true);
    expect([body.estimate, body.isExact]).toEqual([350, true]);
  });

  test('counts the rows of a small table that was never analyzed, and estimates those of a large one', async () => {
    await backend.database.pool('postgres').exec(`
      create table public.few as select i, repeat('x', 300) as text from generate_series(1, 196) i;
      create table public.lots as select i from generate_series(1, 12000) i`);
    const few = await owner.call('GET', rowsPath('few', { limit: '2' }));
    expect([few.body.estimate, few.body.isExact]).toEqual([196, true]);
    const lots = await owner.call('GET', rowsPath('lots', { limit: '2' }));
    expect([lots.body.estimate > 10_000, lots.body.isExact]).toEqual([true, false]);
  });

  test('returns pages without overlap, and the last one is marked', async () => {
    const { body } = await owner.call('GET', rowsPath('tasks', { offset: '300' }));
    expect([body.rows.length, body.rows[0][0], body.more]).toEqual([50, '301', false]);
  });

  test('returns long cells truncated, and completely on request', async () => {
    const { body } = await owner.call('GET', rowsPath('tasks', { limit: '10' }));
    expect(body.cut).toEqual([[4, 2]]);
    expect(body.rows[4][2]).toHaveLength(400);
    const row = await owner.call('GET', '/tables/public/tasks/row?key={"id":"5"}');
    expect(row.body.row.note).toHaveLength(1000);
  });

  test.each([
    [{ column: 'id', operator: 'lte', value: '10' }, 10],
    [{ column: 'title', operator: 'contains', value: 'TASK 34' }, 11],
    [{ column: 'title', operator: 'contains', value: '%' }, 0],
    [{ column: 'title', operator: 'like', value: 'Task 9_' }, 10],
    [{ column: 'note', operator: 'is_null', value: '' }, 116],
    [{ column: 'note', operator: 'eq', value: '' }, 117],
    [{ column: 'mood', operator: 'neq', value: 'calm' }, 0],
  ])('returns the right number of rows with the filter %j: %i', async (filter, count) => {
    const { body } = await owner.call(
      'GET',
      rowsPath('tasks', { filters: [filter] }).replace('/rows?', '/count?'),
    );
    expect(body).toEqual({ count });
  });

  test('sorts by the requested columns', async () => {
    const { body } = await owner.call(
      'GET',
      rowsPath('tasks', { sort: [{ column: 'id', ascending: false }], limit: '1' }),
    );
    expect(body.rows[0][0]).toBe('350');
  });

  test('reports a value that doesn’t fit the column with the database’s message', async () => {
    const { status, body } = await owner.call(
      'GET',
      rowsPath('tasks', { filters: [{ column: 'id', operator: 'eq', value: 'abc' }] }),
    );
    expect([status, body.code, body.sqlstate]).toEqual([422, 'database', '22P02']);
    expect(body.message).toContain('abc');
  });
});

describe('SQL in names and values', () => {
  const attack = 'id; drop table public.tasks; --';

  test.each([
    ['filter column', { filters: [{ column: attack, operator: 'eq', value: '1' }] }],
    [
      'filter operator',
      { filters: [{ column: 'id', operator: `= 1; drop table public.tasks; --`, value: '1' }] },
    ],
    ['sort column', { sort: [{ column: attack, ascending: true }] }],
    ['limit', { limit: `1; drop table public.tasks` }],
    ['offset', { offset: `0; drop table public.tasks` }],
    ['not JSON', { filters: `' or 1=1` }],
  ])('is rejected: %s', async (_name, params) => {
    expect((await owner.call('GET', rowsPath('tasks', params))).status).toBe(400);
    expect((await owner.call('GET', rowsPath('tasks', { limit: '1' }))).status).toBe(200);
  });

  test('is treated as a value', async () => {
    const value = `'; drop table public.tasks; --`;
    const found = await owner.call(
      'GET',
      rowsPath('tasks', { filters: [{ column: 'title', operator: 'eq', value }] }),
    );
    expect(found.body.rows).toEqual([]);
    const { body } = await edit('10', { title: { value } });
    expect(body.row.title).toBe(value);
  });

  test.each([
    ['tasks; drop table public.tasks', 404],
    ['pg_authid', 404],
    ['../auth/users', 404],
  ])('in the table name %s doesn’t find a table', async (table, status) => {
    expect((await owner.call('GET', rowsPath(table))).status).toBe(status);
  });

  test('doesn’t break a table whose names need quoting', async () => {
    const path = rowsPath('We"ird; --');
    const column = 'col"umn; drop';
    expect((await owner.call('GET', path)).body.rows).toEqual([['1', 'x']]);
    const { body } = await editIn('We"ird; --', { [column]: '1' }, { "a'b": { value: 'y' } }, { "a'b": 'x' });
    expect(body.row).toEqual({ [column]: '1', "a'b": 'y' });
    expect((await owner.call('POST', path, { values: { [column]: { value: '2' } } })).status).toBe(200);
    expect((await owner.call('DELETE', path, { scope: { keys: [{ [column]: '2' }] } })).body).toMatchObject({
      deleted: 1,
    });
  });

  test('can’t be used in changes and keys, which refer only to columns of the table', async () => {
    const name = `title" = 'x', "note`;
    expect((await edit('1', { [name]: { value: 'x' } })).status).toBe(400);
    expect((await editIn('tasks', {}, { title: { value: 'x' } })).status).toBe(400);
    expect((await edit('1', { title: { value: 'x', default: true } })).status).toBe(400);
  });

  test('can’t reach Plinth’s own tables', async () => {
    expect((await owner.call('GET', '/tables/_plinth/operators/rows')).status).toBe(404);
  });
});

describe('editing', () => {
  test('distinguishes a value, NULL, the empty string and the default', async () => {
    expect((await edit('20', { title: { value: 'new' } })).body.row.title).toBe('new');
    expect((await edit('20', { note: { value: null } })).body.row.note).toBeNull();
    expect((await edit('20', { note: { value: '' } })).body.row.note).toBe('');
    expect((await edit('20', { title: { default: true } })).body.row.title).toBe('untitled');
  });

  test('a conflicting change returns the current row', async () => {
    await run(`update public.tasks set title = 'theirs' where id = 21`);
    const { status, body } = await edit('21', { title: { value: 'mine' } }, { title: 'Task 21' });
    expect([status, body.code, body.current.title]).toEqual([409, 'conflict', 'theirs']);
    expect((await edit('21', { title: { value: 'mine' } }, { title: 'theirs' })).body.row.title).toBe('mine');
  });

  test('a change of another column doesn’t conflict', async () => {
    await run(`update public.tasks set note = 'theirs' where id = 22`);
    const { body } = await edit('22', { title: { value: 'mine' } }, { title: 'Task 22' });
    expect(body.row).toMatchObject({ title: 'mine', note: 'theirs' });
  });

  test('a NULL that the user saw is compared as NULL', async () => {
    expect((await edit('24', { note: { value: 'x' } }, { note: null })).status).toBe(200);
    expect((await edit('27', { note: { value: 'x' } }, { note: '' })).body.code).toBe('conflict');
  });

  test('an error response contains the database’s message, code and column', async () => {
    const check = await edit('1', { priority: { value: '9' } });
    expect([check.status, check.body.sqlstate]).toEqual([422, '23514']);
    expect(check.body.message).toContain('tasks_priority_check');
    const missing = await edit('1', { title: { value: null } });
    expect(missing.body).toMatchObject({ sqlstate: '23502', column: 'title' });
    expect((await owner.call('GET', '/tables/public/tasks/row?key={"id":"1"}')).body.row.title).toBe(
      'Task 1',
    );
  });

  test('a trigger that prevents the change is reported as the cause', async () => {
    const { status, body } = await editIn(
      'frozen',
      { id: '1' },
      { name: { value: 'water' } },
      { name: 'ice' },
    );
    expect([status, body.code]).toEqual([409, 'not_changed']);
  });

  test('the primary key can be changed', async () => {
    await run(`create table public.codes (code text primary key)`);
    await run(`insert into public.codes values ('a')`);
    const { body } = await editIn('codes', { code: 'a' }, { code: { value: 'b' } }, { code: 'a' });
    expect(body).toEqual({ key: { code: 'b' }, before: { code: 'a' }, row: { code: 'b' } });
  });

  test('a row that doesn’t exist anymore can’t be edited, and neither can a view, whose rows can’t be identified', async () => {
    expect((await edit('99999', { title: { value: 'x' } })).body.code).toBe('gone');
    await run('create view public.seen as select id, title from public.tasks');
    expect((await editIn('seen', { id: '1' }, { title: { value: 'x' } })).body.code).toBe('no_primary_key');
  });

  test('several rows are changed together or not at all, and the response identifies the one that failed', async () => {
    const edits = [
      { key: { id: '60' }, changes: { priority: { value: '1' } } },
      { key: { id: '61' }, changes: { priority: { value: '9' } } },
    ];
    const refused = await owner.call('PATCH', rowsPath('tasks'), { edits });
    expect([refused.status, refused.body.sqlstate, refused.body.index]).toEqual([422, '23514', 1]);
    const [previous] = (await owner.call('GET', '/tables/public/tasks/row?key={"id":"60"}')).body.row
      .priority;
    const { body } = await owner.call('PATCH', rowsPath('tasks'), { edits: edits.slice(0, 1) });
    expect(body.rows[0]).toMatchObject({ before: { priority: previous }, row: { priority: '1' } });
  });
});

describe('column names that every JavaScript object has', () => {
  test('can be read, edited, inserted and used as keys', async () => {
    await run('create table public.objects ("__proto__" text primary key, "constructor" text)');
    const path = rowsPath('objects');
    const body = (values: string) => JSON.parse(`{"values": ${values}}`) as object;
    const made = await owner.call(
      'POST',
      path,
      body('{"__proto__": {"value": "a"}, "constructor": {"value": "b"}}'),
    );
    expect(JSON.stringify(made.body.row)).toBe('{"__proto__":"a","constructor":"b"}');
    const edits = JSON.parse(
      '{"edits": [{"key": {"__proto__": "a"}, "changes": {"__proto__": {"value": "c"}}, "seen": {"__proto__": "a"}}]}',
    ) as object;
    const { status, body: answer } = await owner.call('PATCH', path, edits);
    expect([status, JSON.stringify(answer.rows[0].key)]).toEqual([200, '{"__proto__":"c"}']);
    expect((await owner.call('DELETE', path, JSON.parse('{"scope": {"keys": [{}]}}'))).status).toBe(400);
  });
});

test('the description of a table contains whether a trigger can set required columns', async () => {
  const relation = async () =>
    (await owner.call('GET', '/tables/public/tasks')).body.insert_trigger as boolean;
  expect(await relation()).toBe(false);
  const exec = (text: string) => backend.database.pool('postgres').exec(text);
  await exec(`create function public.fill() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger fill before insert on public.tasks for each row execute function public.fill()`);
  expect(await relation()).toBe(true);
  await exec('drop trigger fill on public.tasks');
});

describe('references', () => {
  const search = (text: string, as?: string, column = 'task') =>
    owner.call(
      'GET',
      `/tables/public/chores/references/${column}?${new URLSearchParams({ search: text, ...(as === undefined ? {} : { as }) })}`,
    );

  test('can be found by key and by name, with the persona’s privileges', async () => {
    await run('create table public.chores (task bigint references public.tasks, what text)');
    const first = await search('');
    expect([first.body.choices.length, first.body.more]).toEqual([20, true]);
    expect(first.body.choices.slice(0, 2)).toEqual([
      { value: '1', label: 'Task 1' },
      { value: '2', label: 'Task 2' },
    ]);
    // The row whose key equals the search text is first, before rows whose keys begin with the text.
    expect((await search('34')).body.choices[0].value).toBe('34');
    expect((await search('TASK 299')).body.choices).toEqual([{ value: '299', label: 'Task 299' }]);
    expect((await search("' or 1=1; --")).body.choices).toEqual([]);
    expect((await search('%')).body.choices).toEqual([]);
    const exact = '/tables/public/chores/references/task?exact=true&search=';
    expect((await owner.call('GET', `${exact}34`)).body).toEqual({
      choices: [{ value: '34', label: 'Task 34' }],
      more: false,
    });
    expect((await owner.call('GET', `${exact}Task`)).body.choices).toEqual([]);
    expect((await search('', undefined, 'what')).status).toBe(404);
    const exec = (text: string) => backend.database.pool('postgres').exec(text);
    await exec('alter table public.tasks enable row level security; grant select on public.tasks to anon');
    await run('create policy few on public.tasks for select to anon using (id < 3)');
    await run('grant select on public.chores to anon');
    expect((await search('', 'anon')).body).toMatchObject({
      choices: [{ value: '1' }, { value: '2' }],
      more: false,
    });
    await exec('revoke select on public.tasks from anon; grant select (id) on public.tasks to anon');
    expect((await search('', 'anon')).body.choices).toEqual([
      { value: '1', label: null },
      { value: '2', label: null },
    ]);
    await exec('alter table public.tasks disable row level security; grant select on public.tasks to anon');
  });

  test('a role that can’t read a schema can’t search it', async () => {
    await backend.operators.createOperator('reader', 'read-only');
    const reader = await operator(backend, 'reader');
    await run('create table public.notes (writer uuid references auth.users)');
    const path = '/tables/public/notes/references/writer';
    expect((await owner.call('GET', path)).status).toBe(200);
    expect((await reader.call('GET', path)).status).toBe(403);
  });
});

describe('the snapshot', () => {
  test('stays the same until a transaction writes, and a waiting request receives the change', async () => {
    const snapshot = async (after = '') =>
      (await owner.call('GET', `/snapshot${after === '' ? '' : `?after=${encodeURIComponent(after)}`}`)).body
        .snapshot as string;
    const before = await snapshot();
    expect(await snapshot()).toBe(before);
    const waiting = snapshot(before);
    await run('update public.tasks set note = note where id = 300');
    expect(await waiting).not.toBe(before);
  });
});

describe('inserting and deleting', () => {
  test('a row with only defaults can be inserted and deleted', async () => {
    const { body } = await owner.call('POST', rowsPath('tasks'), { values: {} });
    expect(body.row).toMatchObject({ title: 'untitled', note: null, done: 'false' });
    const gone = await owner.call('DELETE', rowsPath('tasks'), { scope: { keys: [{ id: body.row.id }] } });
    expect(gone.body).toMatchObject({ deleted: 1 });
  });

  test('several rows are deleted together or not at all', async () => {
    await run('create table public.parts (task bigint references public.tasks)');
    await run('insert into public.parts values (31)');
    const scope = { keys: [{ id: '30' }, { id: '31' }] };
    const refused = await owner.call('DELETE', rowsPath('tasks'), { scope });
    expect(refused.body.sqlstate).toBe('23503');
    expect((await owner.call('GET', '/tables/public/tasks/row?key={"id":"30"}')).status).toBe(200);
  });

  test('deleted rows can be restored with the same keys and values, and the response says before what can’t be restored', async () => {
    await run(`create table public.boxes (id bigint generated always as identity primary key, inside bigint references public.boxes,
      name text, doc jsonb, tags text[], size int generated always as (length(name)) stored)`);
    await run(
      `insert into public.boxes (inside, name, doc, tags) values (2, 'small', '{"n": 1.10}', '{a,NULL}'), (null, 'large', null, '{}')`,
    );
    await run('create table public.marks (box bigint references public.boxes on delete cascade)');
    await run('create table public.hints (box bigint references public.boxes on delete set null)');
    await run('insert into public.marks values (1), (1), (2)');
    await run('insert into public.hints values (2)');
    const scope = { keys: [{ id: '1' }, { id: '2' }] };
    const plan = await owner.call('POST', '/tables/public/boxes/delete-effects', { scope });
    expect(plan.body).toEqual({
      restorable: true,
      effects: [
        expect.objectContaining({ table: 'hints', action: 'set null', rows: 1, deeper: false }),
        expect.objectContaining({ table: 'marks', action: 'cascade', rows: 3, isMore: false }),
      ],
    });
    const inner = { keys: [{ id: '2' }] };
    const rejected = await owner.call('POST', '/tables/public/boxes/delete-effects', { scope: inner });
    expect(rejected.body.effects[0]).toMatchObject({ table: 'boxes', action: 'reject', rows: 1 });
    const before = (await owner.call('GET', rowsPath('boxes'))).body.rows;
    const { body } = await owner.call('DELETE', rowsPath('boxes'), { scope, undo: true });
    expect([body.deleted, body.restorable.columns]).toEqual([2, ['id', 'inside', 'name', 'doc', 'tags']]);
    const restored = await owner.call('POST', '/tables/public/boxes/restore', body.restorable);
    expect(restored.body).toEqual({ restored: 2 });
    expect((await owner.call('GET', rowsPath('boxes'))).body.rows).toEqual(before);
    // Restoring the rows a second time fails because their keys already exist.
    expect((await owner.call('POST', '/tables/public/boxes/restore', body.restorable)).body.sqlstate).toBe(
      '23505',
    );
    const attack = { columns: ['id", "name") values (1); --'], rows: [['1']] };
    expect((await owner.call('POST', '/tables/public/boxes/restore', attack)).status).toBe(400);
  });

  test('a deletion that can be undone is rejected if there are too many rows to restore', async () => {
    await run('create table public.crowd as select i as id from generate_series(1, 1001) i');
    await run('alter table public.crowd add primary key (id)');
    const scope = { filters: [] };
    const plan = await owner.call('POST', '/tables/public/crowd/delete-effects', { scope });
    expect(plan.body).toEqual({ effects: [], restorable: false });
    const refused = await owner.call('DELETE', rowsPath('crowd'), { scope, undo: true });
    expect([refused.status, refused.body.code]).toEqual([409, 'not_as_told']);
    expect((await owner.call('DELETE', rowsPath('crowd'), { scope })).body).toMatchObject({ deleted: 1001 });
  });

  test('the size of rows is measured completely, even in a table with a column named page', async () => {
    await run('create table public.pages (page int primary key, body text)');
    await run(`insert into public.pages values (1, repeat('x', 5000000))`);
    const scope = { filters: [] };
    const plan = await owner.call('POST', '/tables/public/pages/delete-effects', { scope });
    expect(plan.body).toEqual({ effects: [], restorable: false });
    expect((await owner.call('DELETE', rowsPath('pages'), { scope, undo: true })).status).toBe(409);
    const { body } = await owner.call('GET', '/tables/public/pages/export?format=json');
    expect(body).toEqual([{ page: 1, body: 'x'.repeat(5_000_000) }]);
  });

  test('a read-only operator can’t restore rows or request the effects of a deletion', async () => {
    await backend.operators.createOperator('onlooker', 'read-only');
    const onlooker = await operator(backend, 'onlooker');
    const scope = { keys: [{ id: '1' }] };
    const rows = { columns: ['id'], rows: [['1']] };
    expect((await onlooker.call('POST', '/tables/public/tasks/restore', rows)).status).toBe(403);
    expect((await onlooker.call('POST', '/tables/public/tasks/delete-effects', { scope })).status).toBe(403);
  });

  test('each change is in the audit log, without values', async () => {
    await edit('40', { title: { value: 'secret value' } });
    const [entry] = await backend.database
      .pool('supabase_admin')
      .query<{ action: string; target: string; detail: object; operator_name: string }>(
        sql`select action, target, detail, operator_name from _plinth.audit_log order by id desc limit 1`,
      );
    expect(entry).toEqual({
      action: 'row.update',
      target: 'public.tasks',
      detail: { keys: [{ id: '40' }], count: 1, columns: ['title'] },
      operator_name: 'owner',
    });
  });
});
