/**
 * Tests writes and function calls over HTTP: the status, headers and body of the response, and the resulting table
 * contents.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RestHarness, startRest } from './harness.ts';

let rest: RestHarness;
beforeAll(async () => {
  rest = await startRest();
});
beforeEach(() =>
  rest.run(
    `delete from public.people where id > 3; update public.people set name = case id when 1 then 'Ada' when 2 then 'Grace' else 'Linus' end`,
  ),
);
afterAll(() => rest?.stop());

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await rest.fetch(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
const names = async () =>
  (await rest.query<{ name: string }>('select name from public.people order by id')).map(({ name }) => name);
const REPRESENTATION = { prefer: 'return=representation' };

describe('insert', () => {
  test('returns an empty body, the location or a representation, as requested', async () => {
    const minimal = await send('POST', '/people', { id: 10, name: 'Alan' });
    expect(minimal).toMatchObject({ status: 201, text: '' });
    expect(minimal.headers.get('content-type')).toBeNull();
    const located = await send(
      'POST',
      '/people',
      { id: 11, name: 'Edsger' },
      { prefer: 'return=headers-only' },
    );
    expect(located.headers.get('location')).toBe('/people?id=eq.11');
    const shown = await send(
      'POST',
      '/people?select=name,initials',
      [{ id: 12, name: 'Barbara' }],
      REPRESENTATION,
    );
    expect(shown).toMatchObject({ status: 201, body: [{ name: 'Barbara', initials: 'B' }] });
    expect(await names()).toEqual(['Ada', 'Grace', 'Linus', 'Alan', 'Edsger', 'Barbara']);
  });

  test('upserts report whether a row was created', async () => {
    const prefer = 'resolution=merge-duplicates';
    expect((await send('POST', '/people', { id: 1, name: 'Ada L.' }, { prefer })).status).toBe(200);
    expect((await send('POST', '/people', { id: 20, name: 'New' }, { prefer })).status).toBe(201);
    const ignored = await send(
      'POST',
      '/people?select=id',
      [
        { id: 1, name: 'x' },
        { id: 21, name: 'y' },
      ],
      {
        prefer: 'resolution=ignore-duplicates, return=representation',
      },
    );
    expect(ignored.body).toEqual([{ id: 21 }]);
    expect(await names()).toEqual(['Ada L.', 'Grace', 'Linus', 'New', 'y']);
  });

  test('missing=default sets the default of columns that are missing in objects', async () => {
    const path = '/people?columns=id,name,tags&select=tags';
    const both = await send('POST', path, [{ id: 30, name: 'x' }], {
      prefer: 'missing=default, return=representation',
    });
    expect(both.body).toEqual([{ tags: [] }]);
    const nulls = await send('POST', path, [{ id: 31, name: 'x' }], REPRESENTATION);
    expect(nulls.body).toEqual([{ tags: null }]);
  });

  test('CSV and forms are accepted', async () => {
    const csv = await send('POST', '/people', 'id,name,born\n40,"A, B",NULL\n', {
      'content-type': 'text/csv',
    });
    expect(csv.status).toBe(201);
    const form = await send('POST', '/people', 'id=41&name=C+D', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(201);
    expect((await names()).slice(3)).toEqual(['A, B', 'C D']);
  });

  test.each([
    ['{', 400, 'PGRST102'],
    ['[{"name":"a"},{"id":1}]', 400, 'PGRST102'],
    ['{"nope":1}', 400, 'PGRST204'],
    ['{"id":1,"name":"dup"}', 409, '23505'],
    ['{"id":"x","name":"a"}', 400, '22P02'],
    ['{"id":50}', 400, '23502'],
  ])('%s is rejected', async (body, status, code) => {
    expect(await send('POST', '/people', body)).toMatchObject({ status, body: { code } });
    expect(await names()).toHaveLength(3);
  });
});

describe('update, delete, put', () => {
  test('filters select the rows, and the representation contains them', async () => {
    const updated = await send(
      'PATCH',
      '/people?id=in.(1,2)&select=id&order=id.desc',
      { born: '2000-01-01' },
      REPRESENTATION,
    );
    expect(updated).toMatchObject({ status: 200, body: [{ id: 2 }, { id: 1 }] });
    expect((await send('PATCH', '/people?id=eq.99', { name: 'x' })).status).toBe(204);
    expect((await send('PATCH', '/people?id=eq.1', {}, REPRESENTATION)).body).toEqual([]);
    const gone = await send('DELETE', '/people?id=eq.3', undefined, { prefer: 'count=exact' });
    expect(gone.status).toBe(204);
    expect(gone.headers.get('content-range')).toBe('*/1');
    await send('POST', '/people', { id: 3, name: 'Linus' });
  });

  test.each([
    ['restrict', '23001'],
    ['no action', '23503'],
  ])('a row that a foreign key with %s references is a conflict', async (action, code) => {
    await rest.run(`
      create table public.badges (person_id int references public.people on delete ${action});
      insert into public.people (id, name) values (70, 'Barbara');
      insert into public.badges values (70)`);
    const rejected = await send('DELETE', '/people?id=eq.70');
    await rest.run('drop table public.badges');
    expect(rejected).toMatchObject({ status: 409, body: { code } });
    expect(await names()).toHaveLength(4);
  });

  test('requests without a filter are rejected', async () => {
    expect(await send('PATCH', '/people', { name: 'x' })).toMatchObject({
      status: 400,
      body: { code: '21000', message: 'UPDATE requires a WHERE clause', details: null, hint: null },
    });
    expect(await send('DELETE', '/people')).toMatchObject({
      body: { message: 'DELETE requires a WHERE clause' },
    });
    expect(await names()).toEqual(['Ada', 'Grace', 'Linus']);
  });

  test('changes are rolled back if the client’s conditions aren’t met', async () => {
    const object = { accept: 'application/vnd.pgrst.object+json' };
    expect((await send('PATCH', '/people?id=lt.3', { name: 'x' }, object)).body.code).toBe('PGRST116');
    const limited = { prefer: 'handling=strict, max-affected=1' };
    expect((await send('PATCH', '/people?id=lt.3', { name: 'x' }, limited)).body.code).toBe('PGRST124');
    expect(
      (await send('PATCH', '/people?id=eq.1', { name: 'x' }, { prefer: 'handling=strict, nope=1' })).body
        .code,
    ).toBe('PGRST122');
    expect(await names()).toEqual(['Ada', 'Grace', 'Linus']);
  });

  test('PUT identifies its row by the whole primary key', async () => {
    expect((await send('PUT', '/people?id=eq.60', { id: 60, name: 'n' }, REPRESENTATION)).status).toBe(201);
    expect((await send('PUT', '/people?id=eq.60', { id: 60, name: 'm' }, REPRESENTATION)).status).toBe(200);
    expect((await send('PUT', '/people?id=eq.60', { id: 61, name: 'm' })).body.code).toBe('PGRST115');
    expect((await send('PUT', '/people?name=eq.m', { id: 60, name: 'm' })).body.code).toBe('PGRST105');
    expect((await send('PUT', '/people?id=eq.60&limit=1', { id: 60, name: 'm' })).body.code).toBe('PGRST114');
  });
});

describe('calls', () => {
  test.each([
    ['GET', '/rpc/add?a=1', undefined, 200, 2],
    ['GET', '/rpc/add?a=1&b=4', undefined, 200, 5],
    ['POST', '/rpc/add', { a: 2, b: 3 }, 200, 5],
    ['POST', '/rpc/rename_all?select=name&id=eq.1', { suffix: '!' }, 200, [{ name: 'Ada!' }]],
    ['GET', '/rpc/rename_all?suffix=x', undefined, 405, { code: '25006' }],
    ['POST', '/rpc/refuse', {}, 402, { code: 'PT402', message: 'Payment required', hint: 'Pay' }],
    ['DELETE', '/rpc/add', undefined, 405, { code: 'PGRST101' }],
  ])('%s %s responds as expected', async (method, path, body, status, expected) => {
    const response = await send(method, path, body);
    expect(response.status).toBe(status);
    if (typeof expected === 'object' && !Array.isArray(expected))
      expect(response.body).toMatchObject(expected);
    else expect(response.body).toEqual(expected);
  });

  test('invalid headers are reported as an error of the function', async () => {
    expect(await send('POST', '/rpc/bad_header')).toMatchObject({ status: 500, body: { code: 'PGRST111' } });
    expect(await send('POST', '/rpc/bad_raise')).toMatchObject({ status: 500, body: { code: 'PGRST121' } });
  });

  test('a function can set the status and headers', async () => {
    const response = await send('POST', '/rpc/teapot');
    expect(response.status).toBe(418);
    expect(response.headers.get('x-tea')).toBe('green');
  });
});
