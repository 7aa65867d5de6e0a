/**
 * Tests filters and payloads of postgres_changes for all types in `pg_type`: base types, their arrays and domains, ranges,
 * multiranges, composite types and enums. PostgreSQL's own operators and `to_jsonb` determine the expected results.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createCatalog } from '../../src/services/realtime/changes/catalog.ts';
import { checkConditions, checkSubscription } from '../../src/services/realtime/changes/checks.ts';
import type { Condition, Operator } from '../../src/services/realtime/core/filter.ts';
import { compileCondition, matchRow } from '../../src/services/realtime/core/filter-match.ts';
import { type Harness, startRealtime } from './harness.ts';
import { openRaw } from './raw-socket.ts';
import { samples, withoutSamples } from './type-samples.ts';

interface TypedColumn {
  readonly name: string;
  readonly type: string;
  readonly values: readonly string[];
}

let h: Harness;
let columns: readonly TypedColumn[];

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

beforeAll(async () => {
  h = await startRealtime();
  const pool = h.database.pool('postgres');
  const bases = await pool.query<{ name: string; type: string }>(sql`
    select typname as name, format_type(oid, -1) as type from pg_catalog.pg_type
    where typnamespace = 'pg_catalog'::regnamespace and typtype = 'b' and typisdefined
      and (typelem = 0 or typcategory <> 'A' or typname in ('int2vector', 'oidvector')) order by typname`);
  expect(bases.filter(({ name }) => samples[name] === undefined && !withoutSamples.test(name))).toEqual([]);
  const statements = [
    'create schema types',
    `create type types.mood as enum ('sad', 'very happy')`,
    // Types of a project that have the names of PostgreSQL's types, and a type whose cast to text isn't its output.
    `create type types.bool as enum ('t', 'f')`,
    `create function types.shout(types.mood) returns text language sql immutable as $$ select 'loud' $$`,
    `create cast (types.mood as text) with function types.shout(types.mood)`,
    `create type types."constructor" as (a int, b text)`,
    `create function types.object(types."constructor") returns json language sql immutable
      as $$ select json_build_object('sum', $1.a) $$`,
    `create cast (types."constructor" as json) with function types.object(types."constructor")`,
    `create type types.extra as (a int, m types.mood, b bool)`,
    'create extension hstore schema extensions',
  ];
  const typed: TypedColumn[] = [
    { name: 'mood', type: 'types.mood', values: ['sad', 'very happy'] },
    { name: 'moods', type: 'types.mood[]', values: ['{sad,"very happy"}', '{}'] },
    { name: 'own_bool', type: 'types.bool', values: ['t', 'f'] },
    { name: 'constructor', type: 'types."constructor"', values: ['(1,x)', '(2,)'] },
    { name: 'extra', type: 'types.extra', values: ['(1,"very happy",true)', '(,,)'] },
    { name: 'extras', type: 'types.extra[]', values: ['{"(1,sad,f)",NULL}', '[0:0]={"(,,)"}'] },
    { name: 'pairs', type: 'extensions.hstore', values: ['a=>1', 'b=>NULL'] },
    { name: 'pair_list', type: 'extensions.hstore[]', values: ['{"\\"a\\"=>\\"1\\""}', '{}'] },
  ];
  const ranges = await pool.query<{ range: string; multirange: string; element: string }>(sql`
    select rngtypid::regtype::text as range, rngmultitypid::regtype::text as multirange, t.typname as element
    from pg_catalog.pg_range join pg_catalog.pg_type t on t.oid = rngsubtype`);
  for (const { range, multirange, element } of ranges) {
    const value = (samples[element] as readonly string[])[0] as string;
    typed.push(
      { name: range, type: range, values: [`["${value}","${value}"]`, 'empty'] },
      { name: multirange, type: multirange, values: [`{["${value}","${value}"]}`, '{}'] },
      {
        name: `${range}_array`,
        type: `${range}[]`,
        values: [`{"[\\"${value}\\",\\"${value}\\"]"}`, '{empty}'],
      },
    );
  }
  for (const { name, type } of bases) {
    const values = samples[name];
    if (values === undefined) continue;
    const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
    const delimiter = name === 'box' ? ';' : ',';
    const list = [`{${values.map(quoted).join(delimiter)}}`, `{NULL${delimiter}${quoted(values[1])}}`];
    statements.push(
      `create domain types."d_${name}" as ${type}`,
      `create type types."c_${name}" as (v ${type}, l ${type}[])`,
    );
    typed.push({ name, type, values }, { name: `d_${name}`, type: `types."d_${name}"`, values });
    if (name.endsWith('vector') && name !== 'tsvector') continue;
    statements.push(`create domain types."dl_${name}" as ${type}[]`);
    typed.push(
      { name: `a_${name}`, type: `${type}[]`, values: list },
      { name: `da_${name}`, type: `types."d_${name}"[]`, values: list },
      { name: `dl_${name}`, type: `types."dl_${name}"`, values: list },
      {
        name: `c_${name}`,
        type: `types."c_${name}"`,
        values: [`(${quotedField(values[0])},${quotedField(list[0] as string)})`, '(,)'],
      },
    );
  }
  columns = typed;
  await h.sql(`${statements.join('; ')};
    create table types.every (id int primary key, ${typed.map(({ name, type }) => `"${name}" ${type}`).join(', ')});
    alter table types.every replica identity full;
    grant usage on schema types to anon, public;
    grant usage on schema extensions to public;
    grant select on types.every to anon, supabase_realtime_admin;
    alter publication supabase_realtime add table types.every`);
});
afterAll(() => h.stop());

const quotedField = (text: string): string => `"${text.replace(/["\\]/g, '$&$&')}"`;

test('records contain what to_jsonb returns, in old and in new rows', async () => {
  const socket = await openRaw(h.socketUrl());
  const postgres_changes = [{ event: '*', schema: 'types', table: 'every' }];
  socket.send(['1', '1', 'realtime:types', 'phx_join', { config: { postgres_changes } }]);
  await socket.next(([, , , event, payload]) => event === 'system' && payload.status === 'ok');
  const values = (index: number): string =>
    columns.map(({ values }) => literal(values[index] as string)).join();
  // bytea columns lose the prefix \x, as upstream's decoder removes it.
  const expected = async (): Promise<Record<string, unknown>> => {
    const [row] = await h.database
      .pool('postgres')
      .query<{ row: Record<string, unknown> }>(
        sql`select to_jsonb(t) || jsonb_build_object('bytea', encode(t.bytea, 'hex')) as row from types.every t`,
      );
    return row?.row ?? {};
  };
  const received = async (type: string) =>
    (
      await socket.next(
        ([, , , event, payload]) => event === 'postgres_changes' && payload.data.type === type,
      )
    )[4].data;
  await h.sql(`insert into types.every values (1, ${values(0)})`);
  const first = await expected();
  expect((await received('INSERT')).record).toEqual(first);
  const names = columns.map(({ name }) => `"${name}"`).join();
  await h.sql(`update types.every set (${names}) = row(${values(1)})`);
  const second = await expected();
  const updated = await received('UPDATE');
  expect(updated.record).toEqual(second);
  expect(updated.old_record).toEqual(first);
  await h.sql(`update types.every set (${names}) = row(${columns.map(() => 'null').join()})`);
  expect((await received('UPDATE')).old_record).toEqual(second);
  socket.close();
});

const symbols: Partial<Record<Operator, string>> = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: '= any',
  isdistinct: 'is distinct from',
  like: 'like',
  ilike: 'ilike',
  match: '~',
  imatch: '~*',
};
const patternOperators = ['like', 'ilike', 'match', 'imatch'];
const textTypes = ['text', 'bpchar', 'character varying', 'name'];

test('filters match exactly if PostgreSQL’s operator is true, for all types and operators', async () => {
  const pool = h.database.pool('supabase_realtime_admin');
  const [{ oid } = { oid: 0 }] = await pool.query<{ oid: number }>(
    sql`select 'types.every'::regclass::oid::int8 as oid`,
  );
  const table = await createCatalog(() => pool).table(oid);
  await h.sql(`create function types.attempt(statement text) returns boolean language plpgsql
    set search_path = pg_catalog, extensions as $$
    declare result boolean;
    begin execute statement into result; return coalesce(result, false);
    exception when others then return null; end $$`);
  const wrong: string[] = [];
  for (const { name, type, values } of columns) {
    const column = table?.columns.find((each) => each.name === name);
    if (column === undefined) throw new Error(name);
    const [outputs] = await pool.query<{ outputs: string[] }>(
      sql`select array[format('%s', ${sql.raw(values.map((text) => `${literal(text)}::${type}`).join(`), format('%s', `))})] as outputs`,
    );
    const cells = [...(outputs?.outputs ?? []), null];
    const quoted = `"${(values[0] as string).replace(/["\\]/g, '\\$&')}"`;
    const conditions: (Condition & { sql: string })[] = [];
    for (const [operator, symbol] of Object.entries(symbols)) {
      if (patternOperators.includes(operator) && !textTypes.includes(type)) continue;
      const value = operator === 'in' ? `{${quoted}}` : (values[0] as string);
      for (const negate of [false, true]) {
        const operand = `${literal(value)}::${type}${operator === 'in' ? '[]' : ''}`;
        conditions.push({
          column: name,
          operator: operator as Operator,
          value,
          negate,
          sql: `${negate ? 'not ' : ''}(CELL::${type} ${symbol} (${operand}))`,
        });
      }
    }
    for (const value of ['null', ...(type === 'boolean' ? ['true', 'false', 'unknown'] : [])])
      for (const negate of [false, true])
        conditions.push({
          column: name,
          operator: 'is',
          value,
          negate,
          // In contrast to `is null`, a row whose fields are all null isn't null.
          sql:
            value === 'null'
              ? `(CELL ${negate ? '<>' : '='} 'NULL')`
              : `(CELL::${type} is ${negate ? 'not ' : ''}${value})`,
        });
    const statements = conditions.flatMap((condition) =>
      cells.map((cell) => {
        if (condition.operator === 'is' && condition.value === 'null')
          return `select ${condition.negate ? cell !== null : cell === null}`;
        return `select ${condition.sql.replace('CELL', () => (cell === null ? 'null' : literal(cell)))}`;
      }),
    );
    const expected = await pool.query<{ result: boolean | null }>(
      sql`select types.attempt(s) as result from unnest(${statements}::text[]) with ordinality as u (s, n) order by n`,
    );
    const resultsOf = (index: number): (boolean | null)[] =>
      expected.slice(index * cells.length, (index + 1) * cells.length).map(({ result }) => result);
    const check = (list: readonly Condition[]) =>
      checkSubscription(pool, oid, 'anon', {
        action: '*',
        schema: 'types',
        table: 'every',
        conditions: list.map(({ column, operator, value, negate }) => ({ column, operator, value, negate })),
        select: undefined,
      });
    const numbered = conditions.map((condition, index) => ({ condition, results: resultsOf(index) }));
    const { yes: possible = [], no: impossible = [] } = Object.groupBy(numbered, ({ results }) =>
      results[0] === null ? 'no' : 'yes',
    );
    // A subscription is rejected only if the type doesn't have the operator.
    for (const { condition } of impossible)
      if (!condition.negate && (await check([condition]).then(Boolean, () => false)))
        wrong.push(`${type} ${condition.operator} wasn't rejected`);
    const compiled = (await check(possible.map(({ condition }) => condition))).map((each) =>
      compileCondition(each, column),
    );
    const got = compiled.map((each) => cells.map((cell) => matchRow([each], new Map([[name, cell]]))));
    const pending = got.flat().flatMap((match) => (typeof match === 'string' ? [] : match.pending));
    const answers = [...(await checkConditions(pool, pending))];
    for (const [index, { condition, results }] of possible.entries()) {
      const matches = got[index]?.map((match) =>
        typeof match === 'string' ? match === 'yes' : answers.shift() === true,
      );
      const label = `${type} ${condition.negate ? 'not.' : ''}${condition.operator}.${condition.value}`;
      if (results.some((result, at) => (result ?? false) !== matches?.[at]))
        wrong.push(`${label}: ${results} / ${matches}`);
    }
  }
  expect(wrong).toEqual([]);
});
