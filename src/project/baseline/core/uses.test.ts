import { describe, expect, test } from 'vitest';
import { observe } from '../../folder/core/observe.ts';
import { readTypes, type TypesModel } from '../../types-file/index.ts';
import { Draft } from './draft.ts';
import { typeOf } from './print.ts';
import { Sources } from './sources.ts';
import { argumentsDiffer, assignedValueDiffers, operatorLacking } from './uses.ts';

const columns = 'a, kind, owner_id, ends_at';
const types = `export type Database = { public: { Tables: { notes: {
  Row: { ${columns.replaceAll(/(\w+),? ?/g, '$1: string; ')} } Insert: { ${columns.replaceAll(/(\w+),? ?/g, '$1: string; ')} }
  Relationships: [] } } } }`;

/** Returns the column's type in the baseline if the statement fails with this message. */
function learned(message: string, statement: string, column: string, migration = ''): string {
  const draft = new Draft(readTypes(types) as TypesModel);
  const table = draft.addTable('public', 'notes', draft.tableModel('public', 'notes'));
  const seen = observe({
    code: '42883',
    message: `${message}${message.includes(':') ? '' : ' does not exist'}`,
  });
  if (seen?.kind === 'no operator') operatorLacking(draft, seen, statement, undefined);
  if (seen?.kind === 'no function')
    argumentsDiffer(draft, new Sources([{ shownPath: 'm.sql', text: migration }]), seen, statement);
  const found = table.columns.find(({ name }) => name === column);
  return found === undefined ? '' : typeOf(draft, table, found).type;
}

describe('a column gets a type that supports the operator', () => {
  test.each([
    ['text ? unknown', "select 1 from notes n where n.kind ? 'a'", 'kind', 'jsonb'],
    ['text ->> unknown', "create policy p on notes using (kind ->> 'a' = 'b')", 'kind', 'jsonb'],
    ['text @> unknown', `select 1 from notes where kind @> '{"a": 1}'`, 'kind', 'jsonb'],
    ['text && text[]', `select 1 from notes where kind && array['a']`, 'kind', 'text[]'],
    ['text + interval', `select kind + interval '1 day' from notes`, 'kind', 'timestamptz'],
    ['text * integer', 'select kind * 2 from notes', 'kind', 'numeric'],
    ['uuid ~~ unknown', `select 1 from notes where owner_id not like 'a%'`, 'owner_id', 'text'],
    ['uuid ~~* unknown', `select 1 from notes where owner_id ilike 'a%'`, 'owner_id', 'text'],
    ['text ->> unknown', `select a -> 'b' from notes`, 'a', 'text'],
    ['text ->> unknown', `select a ->> 'b' from others`, 'a', 'text'],
    ['text <-> unknown', `select a <-> 'b' from notes`, 'a', 'text'],
  ])('%s: %s', (message, statement, column, type) => {
    expect(learned(`operator does not exist: ${message}`, statement, column)).toBe(type);
  });
});

describe('a column gets a type that the function accepts', () => {
  test.each([
    ['array_length(text, integer)', 'select array_length(n.kind, 1) from notes n', 'kind', 'text[]'],
    ['date_trunc(unknown, text)', `select date_trunc('day', kind) from notes`, 'kind', 'timestamptz'],
    [
      'pg_catalog.extract(unknown, text)',
      'select extract(epoch from kind) from notes',
      'kind',
      'timestamptz',
    ],
    ['jsonb_array_length(text)', 'select jsonb_array_length(kind) from notes', 'kind', 'jsonb'],
    ['json_array_length(text)', 'select json_array_length(kind) from notes', 'kind', 'json'],
    ['sum(text)', 'select sum(kind) filter (where a is null) from notes', 'kind', 'numeric'],
    ['lower(uuid)', 'select lower(owner_id) from notes', 'owner_id', 'text'],
    ['lower(uuid)', 'select lower(owner_id || a) from notes', 'owner_id', 'uuid'],
  ])('%s', (message, statement, column, type) => {
    expect(learned(`function ${message}`, statement, column)).toBe(type);
  });

  test.each([
    ['f(text, text)', 'p_a numeric(10, 2), p_b text', 'numeric(10, 2)'],
    ['f(text)', 'in p_a double precision default 1, out p_c text', 'double precision'],
    ['f(text)', 'timestamp with time zone', 'timestamp with time zone'],
    ['f(text)', 'p_a text, p_b text', 'text'],
  ])('%s declared as (%s)', (message, parameters, type) => {
    const migration = `create or replace function public.f(${parameters}) returns text as $$ $$ language sql`;
    expect(learned(`function ${message}`, 'select f(kind, a) from notes', 'kind', migration)).toBe(type);
  });
});

describe('a column that a statement writes to a uuid column becomes uuid', () => {
  const difference = { columnType: 'uuid', type: 'text' };

  /** Returns the columns whose type becomes uuid. `^` marks the position of the error. */
  function changed(marked: string, seen = difference): readonly string[] {
    const draft = new Draft(readTypes(types) as TypesModel);
    draft.addTable('public', 'notes', draft.tableModel('public', 'notes'));
    assignedValueDiffers(draft, seen, marked.replace('^', ''), marked.indexOf('^') + 1);
    return [...draft.types.keys()];
  }

  test.each([
    ['insert into x (y, z) select 1, ^n.kind from notes n', ['kind']],
    ['update x set y = ^n.kind from notes n where n.a = 1', ['kind']],
    [
      "insert into x (y) select ^case when n.ends_at = 'b' then n.kind when true then n.a else null end from notes n",
      ['kind', 'a'],
    ],
    ['insert into x (y) select ^lower(kind) from notes', []],
    ['insert into x (y) select ^kind from others', []],
  ])('%s', (marked, columns) => {
    expect(changed(marked)).toEqual(columns.map((column) => `public.notes.${column}`));
  });

  test('columns with other types are unchanged', () => {
    const statement = 'insert into x (y) select ^kind from notes';
    expect(changed(statement, { columnType: 'integer', type: 'text' })).toEqual([]);
  });
});

test('a type that differs only in its spelling is kept', () => {
  const message = 'function f(timestamp with time zone, text)';
  const migration = 'create function f(a timestamptz, b integer) returns text as $$ $$ language sql';
  const statement = 'select f(ends_at, a) from notes';
  expect(learned(message, statement, 'ends_at', migration)).toBe('timestamptz');
  expect(learned(message, statement, 'a', migration)).toBe('integer');
});
