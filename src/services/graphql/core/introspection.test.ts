import { describe, expect, test } from 'vitest';
import { Introspection } from './introspection.ts';
import { completed } from './planner.ts';
import { buildSchema } from './schema/build.ts';
import type { SelectedField } from './schema/selection.ts';
import type { Schema } from './schema/types.ts';
import {
  catalogOf,
  column,
  foreignKey,
  INFLECTING,
  OID,
  PUBLIC,
  sqlEnum,
  sqlFunction,
  table,
} from './testing.ts';

/** A selection as nested objects: `{ name: {}, fields: { name: {} } }`. */
interface Selection {
  readonly [name: string]: Selection;
}

const select = (selection: Selection, name = '__type', key = name): SelectedField => ({
  key,
  name,
  selections: () =>
    Object.entries(selection).map(([entry, inner]) => {
      const [alias, field = alias] = entry.split(':') as [string, string?];
      return select(inner, field, alias);
    }),
});

const HIDDEN = 3000;
const account = table(100, 'account', [
  column('id', OID.int4, 'n'),
  column('status', 500),
  column('weird name', OID.text),
]);
const secret = table(200, 'secret', [column('id', OID.int4, 'n'), column('account_id', OID.int4, 'n')], {
  schema: HIDDEN,
});
const catalog = catalogOf({
  schemas: [
    { oid: PUBLIC, name: 'public', comment: INFLECTING },
    { oid: HIDDEN, name: 'hidden', comment: '@graphql({"inflect_names": true})' },
  ],
  tables: [account, secret],
  foreignKeys: [foreignKey([200, 'account_id'], [100, 'id'])],
  enums: [{ ...sqlEnum(500, 'status', ['on']), schema: HIDDEN }],
  functions: [sqlFunction(1, 'shown'), sqlFunction(2, 'unseen', { schema: HIDDEN })],
});
const schema = buildSchema(catalog);
const introspectSchema = (of: Schema, selected: SelectedField) =>
  JSON.parse(completed(new Introspection(of).schema(selected)));
const introspectType = (of: Schema, selected: SelectedField, name: string) =>
  JSON.parse(new Introspection(of).type(selected, name));
const names = (list: unknown): readonly string[] =>
  (list as readonly { name: string }[]).map(({ name }) => name);

describe('__type', () => {
  test('describes a type', () => {
    const selection = {
      kind: {},
      'title:name': {},
      description: {},
      fields: { name: {}, type: { kind: {}, ofType: { name: {} } } },
    };
    expect(introspectType(schema, select(selection), 'PageInfo')).toEqual({
      kind: 'OBJECT',
      title: 'PageInfo',
      description: null,
      fields: [
        { name: 'endCursor', type: { kind: 'SCALAR', ofType: null } },
        { name: 'hasNextPage', type: { kind: 'NON_NULL', ofType: { name: 'Boolean' } } },
        { name: 'hasPreviousPage', type: { kind: 'NON_NULL', ofType: { name: 'Boolean' } } },
        { name: 'startCursor', type: { kind: 'SCALAR', ofType: null } },
      ],
    });
  });

  test('has null or empty lists where a kind has no members', () => {
    const selection = {
      fields: { name: {} },
      inputFields: { name: {} },
      interfaces: { name: {} },
      enumValues: { name: {} },
      possibleTypes: { name: {} },
      ofType: { name: {} },
      specifiedByURL: {},
    };
    expect(introspectType(schema, select(selection), 'Int')).toEqual({
      fields: null,
      inputFields: null,
      interfaces: [],
      enumValues: [],
      possibleTypes: null,
      ofType: null,
      specifiedByURL: null,
    });
  });

  test('is null for an unknown type', () => {
    expect(introspectType(schema, select({ name: {} }), 'Nope')).toBeNull();
  });

  test.each([
    ['__Type', { nope: {} }, 'unknown field on __Type: nope'],
    ['__Field', { fields: { nope: {} } }, 'unknown field in __Field nope'],
    ['__InputValue', { fields: { args: { nope: {} } } }, 'unknown field in __InputValue: nope'],
    ['a property of objects', { constructor: {} }, 'unknown field on __Type: constructor'],
  ])('an unknown field of %s is an error', (_type, selection, message) => {
    expect(() => introspectType(schema, select(selection as Selection), 'Query')).toThrow(message);
  });

  test('an alias can be a name that objects treat specially', () => {
    const result = introspectType(schema, select({ '__proto__:name': {} }), 'Int');
    expect(JSON.stringify(result)).toBe('{"__proto__":"Int"}');
  });
});

describe('__schema', () => {
  test('names the root types', () => {
    const root = { name: {} };
    expect(
      introspectSchema(
        schema,
        select({ queryType: root, mutationType: root, subscriptionType: root, description: {} }),
      ),
    ).toEqual({
      queryType: { name: 'Query' },
      mutationType: { name: 'Mutation' },
      subscriptionType: null,
      description: 'Represents the GraphQL schema of the database',
    });
  });

  test('lists directives', () => {
    const { directives } = introspectSchema(
      schema,
      select({
        directives: { name: {}, isRepeatable: {}, args: { name: {}, type: { ofType: { name: {} } } } },
      }),
    );
    expect(directives).toEqual(
      ['include', 'skip'].map((name) => ({
        name,
        isRepeatable: false,
        args: [{ name: 'if', type: { ofType: { name: 'Boolean' } } }],
      })),
    );
  });

  test('rejects selections that multiply', () => {
    const parents = ['first_id', 'second_id', 'third_id'];
    const person = table(1, 'person', [
      column('id', OID.int4, 'n'),
      ...parents.map((name) => column(name, OID.int4)),
    ]);
    const related = buildSchema(
      catalogOf({
        tables: [person],
        foreignKeys: parents.map((name) => foreignKey([1, name], [1, 'id'])),
      }),
    );
    const nested = (depth: number): SelectedField => {
      let selection: Selection = { name: {} };
      for (let level = 0; level < depth; level += 1) selection = { fields: { type: selection } };
      return select({ types: selection });
    };
    expect(() => introspectSchema(related, nested(3))).not.toThrow();
    expect(() => introspectSchema(related, nested(30))).toThrow('too large');
  });
});

test('the fields of a request share the limit', () => {
  const introspection = new Introspection(schema);
  const types = select({ types: { name: {}, fields: { name: {}, type: { name: {} } } } });
  expect(() => {
    for (let repeated = 0; repeated < 1000; repeated += 1) completed(introspection.schema(types));
  }).toThrow('too large');
  expect(() => introspectSchema(schema, types)).not.toThrow();
});

describe('schemas without introspection', () => {
  const all = introspectSchema(
    schema,
    select({
      types: { name: {}, fields: { name: {} }, inputFields: { name: {} }, possibleTypes: { name: {} } },
    }),
  );
  const types = all.types as readonly Record<string, unknown>[];
  const typeNamed = (name: string) => types.find((type) => type.name === name);

  test('their types are hidden', () => {
    expect(names(types)).toContain('AccountConnection');
    expect(names(types).filter((name) => /Secret|Status/.test(name))).toEqual([]);
    expect(introspectType(schema, select({ name: {} }), 'Secret')).toBeNull();
    expect(names(typeNamed('Node')?.possibleTypes)).toEqual(['Account']);
  });

  test('fields that mention them are hidden', () => {
    expect(names(typeNamed('Account')?.fields)).toEqual(['nodeId', 'id']);
    expect(names(typeNamed('AccountFilter')?.inputFields)).toEqual(['id', 'nodeId', 'and', 'or', 'not']);
    expect(names(typeNamed('Query')?.fields)).toEqual(['accountByPk', 'accountCollection', 'node', 'shown']);
  });

  test('mutations are hidden if all of their fields are', () => {
    const changing = sqlFunction(1, 'change', { schema: HIDDEN, volatility: 'v' });
    const hidden = buildSchema(
      catalogOf({
        schemas: [
          { oid: PUBLIC, name: 'public', comment: INFLECTING },
          { oid: HIDDEN, name: 'hidden', comment: null },
        ],
        functions: [changing],
      }),
    );
    const selection = { mutationType: { name: {} }, types: { name: {} } };
    const result = introspectSchema(hidden, select(selection));
    expect(hidden.mutation?.fields.map(({ name }) => name)).toEqual(['change']);
    expect(result.mutationType).toBeNull();
    expect(names(result.types)).not.toContain('Mutation');
  });

  test('names that GraphQL does not allow are hidden', () => {
    expect(names(typeNamed('AccountInsertInput')?.inputFields)).toEqual(['id']);
  });

  test('without any of them, queries have no introspection', () => {
    const closed = buildSchema(catalogOf({ tables: [account], schemaComment: '@graphql({})' }));
    expect(closed.introspection).toBe(false);
    expect(closed.query.fields.some(({ name }) => name.startsWith('__'))).toBe(false);
  });
});

test('an enum value without a valid name is hidden, unless a mapping gives it a name', () => {
  const labels = ['ok', 'full sun', 'so-so'];
  const moods = buildSchema(
    catalogOf({
      tables: [
        table(100, 'account', [
          column('id', OID.int4, 'n'),
          column('mood', 5000, '', { typeName: 'public.mood' }),
        ]),
      ],
      enums: [sqlEnum(5000, 'mood', labels, '@graphql({"mappings": {"so-so": "SO_SO"}})')],
    }),
  );
  expect(introspectType(moods, select({ enumValues: { name: {} } }), 'Mood')).toEqual({
    enumValues: [{ name: 'ok' }, { name: 'SO_SO' }],
  });
});
