import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callsIn, hasBareName, parseBody, parseSelect, relationsIn, subselectsIn } from './select.ts';
import { withColumns, withValues } from './with-values.ts';

test('calls are found with their arguments, also inside a subselect and inside another call', () => {
  expect(
    callsIn(`(( SELECT app.is_member(org_id, 'a,(b)'::text) AS m) OR "My f"(lower(x)) AND y IN (1, 2))`),
  ).toEqual([
    {
      schema: 'app',
      name: 'is_member',
      text: `app.is_member(org_id, 'a,(b)'::text)`,
      arguments: ['org_id', `'a,(b)'::text`],
    },
    { schema: undefined, name: 'My f', text: '"My f"(lower(x))', arguments: ['lower(x)'] },
    { schema: undefined, name: 'lower', text: 'lower(x)', arguments: ['x'] },
  ]);
});

test('subselects are found, and one without FROM is only a wrapper', () => {
  expect(
    subselectsIn(
      'EXISTS ( SELECT 1 FROM m WHERE m.a IN (SELECT b FROM c)) AND (select (select x from y)) = auth.uid()',
    ),
  ).toEqual(['SELECT 1 FROM m WHERE m.a IN (SELECT b FROM c)', 'select x from y']);
});

test('a SELECT is split into its clauses', () => {
  expect(parseSelect('select a, (select b from c) from m join n on m.x = n.x where p = 1 limit 1')).toEqual({
    list: 'a, (select b from c)',
    from: 'm join n on m.x = n.x',
    where: 'p = 1',
    isSimple: true,
  });
  expect(parseSelect('select a from m union select b from n')).toMatchObject({ isSimple: false });
  expect(parseSelect('delete from m')).toBeUndefined();
});

test.each([
  ['select exists (select 1 from m) as ok;', { kind: 'expression', text: 'exists (select 1 from m)' }],
  ['BEGIN ATOMIC\n SELECT true FROM m;\nEND', { kind: 'select', text: 'SELECT true FROM m' }],
  ['RETURN (a = b)', { kind: 'expression', text: '(a = b)' }],
  ['select 1; select 2', { kind: 'other' }],
  ['insert into m values (1) returning true', { kind: 'other' }],
])('the body %s', (body, expected) => {
  expect(parseBody(body)).toEqual(expected);
});

test('values replace parameters, but not columns with the same name', () => {
  const args = [
    { name: 'org', value: "it's" },
    { name: 'id', value: '7' },
    { name: null, value: null },
  ];
  const body = `select 1 from m where m.org = f.org and id = org and x = $3 and 'org' = y -- org`;
  expect(withValues(withColumns(body, 'f', args), 'f', args, new Set(['id']))).toBe(
    `select 1 from m where m.org = 'it''s' and id = 'it''s' and x = NULL and 'org' = y -- org`,
  );
});

test('names without a table in front are recognized', () => {
  expect(['user_id', "lower(name) || 'x'"].map(hasBareName)).toEqual([true, true]);
  expect(['auth.uid()', 'm.x', "'x'::text", '(select auth.uid() as uid)'].map(hasBareName)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(relationsIn('select 1 from a.b x, c join "D" on true')).toEqual(['a.b', 'c', '"D"']);
  expect(relationsIn('select 1 from (auth.sessions s join public.members m on s.id = m.id), d')).toEqual([
    'auth.sessions',
    'public.members',
    'd',
  ]);
  expect(relationsIn('select a, b from only auth.users u where f(x, u.y) in (1, z)')).toEqual(['auth.users']);
  expect(
    relationsIn('select 1 from ((a cross join lateral b()) join (select c, d from e) x on f(g, h), i)'),
  ).toEqual(['a', 'b', 'e', 'i']);
});

test('any text is accepted', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const read of [callsIn, subselectsIn, parseSelect, parseBody, relationsIn, hasBareName])
        read(text);
    }),
  );
});
