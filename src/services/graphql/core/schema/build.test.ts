import { describe, expect, test } from 'vitest';
import type { Catalog } from '../catalog.ts';
import { catalogOf, column, foreignKey, OID, PUBLIC, sqlEnum, sqlFunction, table } from '../testing.ts';
import { buildSchema } from './build.ts';
import { argumentOf, fieldOf, inputFieldOf, namedType, possibleTypes } from './lookup.ts';
import type { Field, InputValue, NamedType, Schema, Type } from './types.ts';

/** Prints a type as in a schema document. */
const print = (type: Type): string => {
  if (type.kind === 'NON_NULL') return `${print(type.of)}!`;
  return type.kind === 'LIST' ? `[${print(type.of)}]` : type.name;
};

const printInput = ({ name, type, defaultValue }: InputValue): string =>
  `${name}: ${print(type)}${defaultValue === null ? '' : ` = ${defaultValue}`}`;

const printField = (field: Field): string =>
  `${field.name}${field.args.length > 0 ? `(${field.args.map(printInput).join(', ')})` : ''}: ${print(field.type)}`;

const members = (type: NamedType | undefined): readonly string[] => {
  if (type?.kind === 'OBJECT' || type?.kind === 'INTERFACE') return type.fields.map(printField);
  if (type?.kind === 'INPUT_OBJECT') return type.inputFields.map(printInput);
  return type?.kind === 'ENUM' ? type.values.map(({ name }) => name) : [];
};

const membersOf = (catalog: Catalog, name: string): readonly string[] =>
  members(buildSchema(catalog).types.get(name));

const ROLE_TYPE = 5000;
const account = table(100, 'account', [
  column('id', OID.int4, 'nds'),
  column('email', OID.text, 'n'),
  column('role', ROLE_TYPE),
  column('tags', OID.textArray),
  column('data', OID.json),
  column('full name', OID.text),
]);
const post = table(200, 'blog_post', [
  column('id', OID.uuid, 'nd'),
  column('author_id', OID.int4, 'n'),
  column('editor_id', OID.int4),
  column('length', OID.int4, 'g'),
]);
const catalog = catalogOf({
  tables: [account, post],
  foreignKeys: [foreignKey([200, 'author_id'], [100, 'id']), foreignKey([200, 'editor_id'], [100, 'id'])],
  enums: [
    sqlEnum(
      ROLE_TYPE,
      'account_role',
      ['admin', 'co-author'],
      '@graphql({"mappings": {"co-author": "CO_AUTHOR"}})',
    ),
  ],
});
const paging = (name: string) =>
  `(first: Int, last: Int, before: Cursor, after: Cursor, offset: Int, filter: ${name}Filter, orderBy: [${name}OrderBy!])`;

describe('the types of a table', () => {
  test('its node', () => {
    expect(membersOf(catalog, 'Account')).toEqual([
      'nodeId: ID!',
      'id: Int!',
      'email: String!',
      'role: AccountRole',
      'tags: [String]',
      'data: JSON',
      `blogPostCollection${paging('BlogPost')}: BlogPostConnection`,
      `blogPostCollection${paging('BlogPost')}: BlogPostConnection`,
    ]);
    expect(membersOf(catalog, 'BlogPost')).toEqual([
      'nodeId: ID!',
      'id: UUID!',
      'authorId: Int!',
      'editorId: Int',
      'length: Int',
      'author: Account!',
      'editor: Account',
    ]);
  });

  test('its filter and order', () => {
    expect(membersOf(catalog, 'AccountFilter')).toEqual([
      'id: IntFilter',
      'email: StringFilter',
      'role: AccountRoleFilter',
      'tags: StringListFilter',
      'nodeId: IDFilter',
      'and: [AccountFilter!]',
      'or: [AccountFilter!]',
      'not: AccountFilter',
    ]);
    expect(membersOf(catalog, 'AccountOrderBy')).toEqual([
      'id: OrderByDirection',
      'email: OrderByDirection',
      'role: OrderByDirection',
    ]);
  });

  test('its inputs, without columns that the database fills', () => {
    expect(membersOf(catalog, 'AccountInsertInput')).toEqual([
      'email: String',
      'role: AccountRole',
      'tags: [String]',
      'data: JSON',
      'full Name: String',
    ]);
    expect(membersOf(catalog, 'BlogPostUpdateInput')).toEqual(['id: UUID', 'authorId: Int', 'editorId: Int']);
  });

  test('its connection, with the fields that directives turn on', () => {
    const counted = catalogOf({
      tables: [
        { ...post, comment: '@graphql({"totalCount": {"enabled": true}, "aggregate": {"enabled": true}})' },
      ],
    });
    expect(membersOf(catalog, 'BlogPostConnection')).toEqual([
      'edges: [BlogPostEdge!]!',
      'pageInfo: PageInfo!',
    ]);
    expect(membersOf(counted, 'BlogPostConnection').slice(2)).toEqual([
      'totalCount: Int!',
      'aggregate: BlogPostAggregate',
    ]);
    expect(membersOf(counted, 'BlogPostAggregate')).toEqual([
      'count: Int!',
      'sum: BlogPostSumAggregateResult',
      'avg: BlogPostAvgAggregateResult',
      'min: BlogPostMinAggregateResult',
      'max: BlogPostMaxAggregateResult',
    ]);
    expect(membersOf(counted, 'BlogPostSumAggregateResult')[0]).toBe('authorId: BigInt');
  });

  test('a unique foreign key leads to one row', () => {
    const single = catalogOf({
      tables: [
        account,
        {
          ...post,
          indexes: [...(post.indexes ?? []), { columns: ['author_id'], unique: true, primary: false }],
        },
      ],
      foreignKeys: [foreignKey([200, 'author_id'], [100, 'id'])],
    });
    expect(membersOf(single, 'Account').at(-1)).toBe('blogPost: BlogPost');
  });

  test('a referenced table with row level security may hide the row', () => {
    const hiding = catalogOf({
      tables: [{ ...account, rls: true }, post],
      foreignKeys: [foreignKey([200, 'author_id'], [100, 'id'])],
    });
    expect(membersOf(hiding, 'BlogPost').at(-1)).toBe('author: Account');
  });

  test('columns named like logical operators replace them', () => {
    const odd = catalogOf({ tables: [table(1, 'odd', [column('id', OID.int4), column('and', OID.bool)])] });
    expect(membersOf(odd, 'OddFilter')).toEqual([
      'id: IntFilter',
      'and: BooleanFilter',
      'nodeId: IDFilter',
      'or: [OddFilter!]',
      'not: OddFilter',
    ]);
  });
});

describe('entry points', () => {
  test('of queries, in the order of their names', () => {
    const { query } = buildSchema(catalog);
    expect(members(query)).toEqual([
      '__schema: __Schema!',
      '__type(name: String): __Type',
      'accountByPk(id: Int!): Account',
      `accountCollection${paging('Account')}: AccountConnection!`,
      'blogPostByPk(id: UUID!): BlogPost',
      `blogPostCollection${paging('BlogPost')}: BlogPostConnection!`,
      'node(nodeId: ID!): Node',
    ]);
  });

  test('of mutations', () => {
    expect(members(buildSchema(catalog).mutation).slice(0, 3)).toEqual([
      'deleteFromAccountCollection(filter: AccountFilter, atMost: Int! = 1): AccountDeleteResponse!',
      'deleteFromBlogPostCollection(filter: BlogPostFilter, atMost: Int! = 1): BlogPostDeleteResponse!',
      'insertIntoAccountCollection(objects: [AccountInsertInput!]!): AccountInsertResponse',
    ]);
  });

  test('of a role that only reads', () => {
    const reading = catalogOf({
      tables: [{ ...account, privileges: 's', columns: [column('id', OID.int4, 'n', { privileges: 's' })] }],
    });
    const schema = buildSchema(reading);
    expect(schema.mutation).toBeUndefined();
    expect(schema.types.has('AccountInsertInput')).toBe(false);
  });

  test.each([
    ['no primary key', { indexes: null }],
    ['no readable column', { columns: [column('id', OID.int4, 'n', { privileges: 'iu' })] }],
    ['no valid name', { name: 'a-b' }],
  ])('not of a table with %s', (_reason, change) => {
    const { query, mutation } = buildSchema(catalogOf({ tables: [{ ...account, ...change }] }));
    expect(query.fields.map(({ name }) => name)).toEqual(['__schema', '__type', 'node']);
    expect(mutation).toBeUndefined();
  });

  test('keys of other types have no field for one row', () => {
    const key = column('id', OID.varchar, 'n', { typeName: 'character varying(20)' });
    const schema = buildSchema(catalogOf({ tables: [table(1, 'code', [key])] }));
    expect(fieldOf(schema.query, 'codeByPk')).toBeUndefined();
    expect(fieldOf(schema.query, 'codeCollection')?.source).toMatchObject({ is: 'collection' });
  });

  test('of two tables with the same name, the first schema of the search path counts', () => {
    const other = { ...account, oid: 900, rowType: 901, schema: 77 };
    const schema = buildSchema(
      catalogOf({
        schemas: [
          { oid: 77, name: 'first', comment: '@graphql({"inflect_names": true})' },
          { oid: PUBLIC, name: 'public', comment: null },
        ],
        tables: [other, { ...account, name: 'Account' }],
      }),
    );
    expect(fieldOf(schema.query, 'accountCollection')?.source).toMatchObject({ table: { schema: 'first' } });
    expect(schema.types.get('Account')).toMatchObject({ role: { table: { schema: 'first' } } });
  });
});

describe('functions', () => {
  const argument = (name: string | null, type: number, typeName: string, value: string | null = null) => ({
    name,
    type,
    typeName,
    default: value,
  });
  const fields = (schema: Schema) => ({
    query: schema.query.fields.filter(({ source }) => source?.is === 'call').map(printField),
    mutation: schema.mutation?.fields.filter(({ source }) => source?.is === 'call').map(printField),
  });

  test('are queries unless they are volatile', () => {
    const schema = buildSchema(
      catalogOf({
        functions: [
          sqlFunction(1, 'add_up', {
            volatility: 'i',
            arguments: [argument('a', OID.int4, 'integer'), argument('b_c', OID.int4, 'integer', '1')],
          }),
          sqlFunction(2, 'log', { volatility: 'v', returns: OID.void, returnsName: 'void' }),
        ],
      }),
    );
    expect(fields(schema)).toEqual({
      query: ['addUp(a: Int!, bC: Int = 1): Int'],
      mutation: ['log: Opaque'],
    });
    const field = fieldOf(schema.query, 'addUp');
    expect(field && argumentOf(field, 'bC')?.source).toEqual({
      is: 'argument',
      name: 'b_c',
      typeName: 'integer',
    });
  });

  test('that return rows are collections or nodes', () => {
    const rows = { returns: account.rowType, returnsName: 'public.account' };
    const schema = buildSchema(
      catalogOf({
        tables: [account],
        functions: [
          sqlFunction(1, 'all_accounts', { ...rows, setOf: true }),
          sqlFunction(2, 'one_account', rows),
          sqlFunction(3, 'ambiguous', {
            ...rows,
            setOf: true,
            arguments: [argument('first', OID.int4, 'integer')],
          }),
        ],
      }),
    );
    expect(fields(schema).query).toEqual([
      `allAccounts${paging('Account')}: AccountConnection`,
      'oneAccount: Account',
    ]);
  });

  test.each([
    ['overloaded', [sqlFunction(1, 'f'), sqlFunction(2, 'f', { returns: OID.text })]],
    ['without privilege', [sqlFunction(1, 'f', { executable: false })]],
    [
      'with an argument without name',
      [sqlFunction(1, 'f', { arguments: [argument(null, OID.int4, 'integer')] })],
    ],
    [
      'with a row as argument',
      [sqlFunction(1, 'f', { arguments: [argument('a', account.rowType, 'account')] })],
    ],
    ['returning an unknown type', [sqlFunction(1, 'f', { returns: 424242 })]],
    ['returning a set of numbers', [sqlFunction(1, 'f', { setOf: true })]],
    ['with an invalid name', [sqlFunction(1, 'f!')]],
  ])('%s are omitted', (_reason, functions) => {
    expect(fields(buildSchema(catalogOf({ tables: [account], functions }))).query).toEqual([]);
  });

  test('of a row are computed fields', () => {
    const row = argument(null, account.rowType, 'public.account');
    const functions = [sqlFunction(1, '_initials', { arguments: [row], returns: OID.text })];
    expect(membersOf(catalogOf({ tables: [account], functions }), 'Account').at(-1)).toBe('initials: String');
    const partly = { ...account, privileges: 'iud' };
    expect(membersOf(catalogOf({ tables: [partly], functions }), 'Account')).not.toContain(
      'initials: String',
    );
  });

  test.each([
    [OID.int4, '-3', '-3'],
    [OID.int4, "'1'::integer", null],
    [OID.bool, 'true', 'true'],
    [OID.text, "'it''s \"it\"'::text", '"it\'s \\"it\\""'],
    [OID.text, "lower('A'::text)", null],
    [OID.text, 'NULL::text', null],
    [OID.uuid, 'gen_random_uuid()', null],
  ])('the default of type %i and text %j is shown as %j', (type, text, shown) => {
    const functions = [sqlFunction(1, 'f', { arguments: [argument('a', type, 'any', text)] })];
    const field = fieldOf(buildSchema(catalogOf({ functions })).query, 'f');
    expect(field?.args[0]).toMatchObject({ defaultValue: shown });
    expect(field?.args[0]?.type.kind).not.toBe('NON_NULL');
  });
});

describe('lookups', () => {
  const schema = buildSchema(catalog);
  test('find the type name of every type', () => {
    expect(fieldOf(schema.query, '__typename')?.source).toEqual({ is: '__typename' });
  });
  test('find input fields', () => {
    const filter = schema.types.get('AccountFilter');
    expect(filter?.kind === 'INPUT_OBJECT' && inputFieldOf(filter, 'email')?.source).toMatchObject({
      is: 'column',
    });
  });
  test('unwrap types', () => {
    const edges = schema.types.get('AccountConnection');
    const field = edges?.kind === 'OBJECT' ? fieldOf(edges, 'edges') : undefined;
    expect(field && namedType(field.type).name).toBe('AccountEdge');
  });
  test('know the types of nodes', () => {
    const node = fieldOf(schema.query, 'node');
    const type = node && namedType(node.type);
    expect(type?.kind === 'INTERFACE' && possibleTypes(schema, type).map(({ name }) => name)).toEqual([
      'Account',
      'BlogPost',
    ]);
    expect([...catalog.tables.values()].map((entry) => schema.nodeOf(entry)?.name)).toEqual([
      'Account',
      'BlogPost',
    ]);
  });
  test('enum values know their labels', () => {
    expect(schema.types.get('AccountRole')).toMatchObject({
      values: [
        { name: 'admin', label: 'admin' },
        { name: 'CO_AUTHOR', label: 'co-author' },
      ],
    });
  });
});
