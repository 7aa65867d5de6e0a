/** Tests the GraphQL schema that is made from a real database's objects, by introspection. */
import {
  buildClientSchema,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printType,
  validateSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Queryable } from '../../src/platform/database/index.ts';

let backend: Backend;
let schema: GraphQLSchema;
beforeAll(async () => {
  backend = await createTestBackend();
  const postgres = backend.database.pool('postgres');
  await postgres.exec(`
    create extension pg_graphql;
    comment on schema public is '@graphql({"inflect_names": true, "introspection": true})';
    create type public.mood as enum ('happy', 'so-so');
    comment on type public.mood is '@graphql({"mappings": {"so-so": "SO_SO"}})';
    create type public.pair as (a int, b int);
    create domain public.email as text;
    create table public.team (
      part_two int, part_one int, extra text, title varchar(20) not null,
      primary key (part_one, part_two) include (extra)
    );
    create table public.person (
      id bigint generated always as identity primary key,
      ticket serial,
      mood public.mood not null default 'happy',
      moods public.mood[],
      pair public.pair,
      email public.email,
      label text generated always as ('person') stored,
      team_one int, team_two int,
      foreign key (team_one, team_two) references public.team (part_one, part_two),
      boss_id bigint references public.person
    );
    create unique index on public.person ((lower(label)), boss_id);
    create view public.people as select id, mood from public.person;
    comment on view public.people is '@graphql({"primary_key_columns": ["id"], "foreign_keys": [{
      "local_columns": ["id"], "local_name": "views", "foreign_name": "original",
      "foreign_schema": "public", "foreign_table": "person", "foreign_columns": ["id"]}]})';
    create function public.greet(out greeting text, name text default 'a, b', loud boolean default false)
      language sql stable as $$ select 'Hello ' || name $$;
    create function public.boss_name(person public.person) returns text language sql stable as $$ select 'Boss' $$;
    create procedure public.work() language sql as '';
    create aggregate public.total(int) (sfunc = int4pl, stype = int)`);
  schema = buildClientSchema(await introspect(postgres));
});
afterAll(() => backend?.stop());

const introspect = async (db: Queryable): Promise<IntrospectionQuery> => {
  const [row] = await db.query<{ value: { data: IntrospectionQuery; errors?: unknown } }>(
    sql`select graphql.resolve(${getIntrospectionQuery()}) as value`,
  );
  expect(row?.value.errors).toBeUndefined();
  return row?.value.data as IntrospectionQuery;
};

const printed = (name: string): string => {
  const type = schema.getType(name);
  if (!type) throw new Error(`No type ${name}`);
  return printType(type)
    .replaceAll(/""".*?"""\n? */gs, '')
    .replaceAll(/\n\s*/g, ' ');
};

const fieldNames = (name: string): readonly string[] =>
  Object.keys((schema.getType(name) as GraphQLObjectType).getFields());

test('clients accept the schema', () => {
  expect(validateSchema(schema)).toEqual([]);
});

describe('tables', () => {
  test('nodes', () => {
    expect(fieldNames('Person')).toEqual([
      ...['nodeId', 'id', 'ticket', 'mood', 'moods', 'email', 'label', 'teamOne', 'teamTwo', 'bossId'],
      ...['team', 'boss', 'personCollection', 'views', 'bossName'],
    ]);
    expect(printed('Person')).toContain(' id: BigInt! ticket: Int! mood: Mood! moods: [Mood] email: Opaque ');
  });

  test('inputs exclude sequences and generated columns', () => {
    expect(printed('PersonInsertInput')).toBe(
      'input PersonInsertInput { mood: Mood moods: [Mood] email: Opaque teamOne: Int teamTwo: Int bossId: BigInt }',
    );
  });

  test('the primary key has the order of its constraint, without included columns', () => {
    expect(printed('Query')).toContain(' teamByPk( partOne: Int! partTwo: Int! ): Team ');
  });

  test('an index on an expression makes no relationship unique', () => {
    expect(fieldNames('Person')).not.toContain('person');
  });

  test('views have the keys of their directives', () => {
    expect(fieldNames('People')).toEqual(['nodeId', 'id', 'mood', 'original']);
  });

  test('enums have the names of their mappings', () => {
    expect(printed('Mood')).toBe('enum Mood { happy SO_SO }');
  });
});

test('functions have their input arguments and defaults', () => {
  expect(printed('Query')).toContain(' greet(name: String = "a, b", loud: Boolean = false): String ');
});

test('procedures and aggregates are omitted', () => {
  expect(fieldNames('Query')).not.toContain('total');
  expect(fieldNames('Mutation')).not.toContain('work');
});

describe('privileges', () => {
  const asAnon = (grants: string): Promise<GraphQLSchema> =>
    backend.database.pool('postgres').transaction(
      async (tx) => {
        await tx.exec(`revoke all on all tables in schema public from anon; ${grants}; set local role anon`);
        const role = buildClientSchema(await introspect(tx));
        expect(validateSchema(role)).toEqual([]);
        return role;
      },
      { end: 'rollback' },
    );

  test('no table without privileges', async () => {
    const role = await asAnon('select');
    expect(role.getType('Person')).toBeUndefined();
    expect(Object.keys(role.getQueryType()?.getFields() ?? {})).toEqual(['greet', 'node']);
  });

  test('columns', async () => {
    const role = await asAnon('grant select (id, mood), update (mood) on public.person to anon');
    expect(Object.keys((role.getType('Person') as GraphQLObjectType).getFields())).toEqual([
      'nodeId',
      'id',
      'mood',
    ]);
    expect(Object.keys(role.getMutationType()?.getFields() ?? {})).toEqual(['updatePersonCollection']);
  });

  test('objects that shadow those of the system are not used', async () => {
    const role = await asAnon(`
      create function public.has_table_privilege(oid, text) returns boolean language sql as 'select true';
      create function public.format_type(oid, int) returns text language sql as $$ select 'shadowed' $$;
      create view public.pg_class as select * from pg_catalog.pg_class limit 0;
      grant select on public.team to anon;
      set local search_path = public, pg_catalog`);
    expect(Object.keys((role.getType('Team') as GraphQLObjectType).getFields())).toContain('partOne');
    expect(role.getType('Person')).toBeUndefined();
  });
});
