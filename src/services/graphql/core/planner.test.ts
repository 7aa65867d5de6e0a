import { describe, expect, test } from 'vitest';
import type { Plan } from './plan.ts';
import { Planner, plan } from './planner.ts';
import { buildSchema } from './schema/build.ts';
import { catalogOf, column, foreignKey, OID, sqlEnum, table } from './testing.ts';

const MOOD = 5000;
const [emailName, emailNumber, ...emailRest] = column('email', OID.varchar, 'n');
const [emailType, , , ...emailMore] = emailRest;
const email: ReturnType<typeof column> = [
  emailName,
  emailNumber,
  emailType,
  'character varying(10)',
  10,
  ...emailMore,
];
const schema = buildSchema(
  catalogOf({
    tables: [
      table(100, 'account', [
        column('id', OID.int4, 'nd'),
        email,
        column('mood', MOOD, '', { typeName: 'public.mood' }),
        column('tags', OID.textArray),
      ]),
      table(200, 'post', [column('id', OID.int4, 'nd'), column('account_id', OID.int4, 'n')]),
    ],
    foreignKeys: [foreignKey([200, 'account_id'], [100, 'id'])],
    enums: [sqlEnum(MOOD, 'mood', ['happy', 'so-so'], '@graphql({"mappings": {"so-so": "SO_SO"}})')],
  }),
);

const ask = (query: string, variables: object = {}, planner = new Planner(schema)): Plan =>
  planner.plan({ query, variables, operationName: null });

function statementsOf(made: Plan) {
  if (made.kind === 'query') return [made.statement];
  if (made.kind === 'response') throw new Error(made.json);
  return made.steps.flatMap((step) => (step.kind === 'statement' ? [step.statement] : []));
}
const textOf = (made: Plan) =>
  statementsOf(made)
    .map(({ text }) => text)
    .join('\n');
const valuesOf = (made: Plan) => statementsOf(made).flatMap(({ values }) => values);
const errorsOf = (made: Plan) => {
  const errors: readonly { readonly message: string }[] =
    made.kind === 'response' ? JSON.parse(made.json).errors : made.kind === 'query' ? made.errors : [];
  return errors?.map(({ message }) => message);
};

const node = '{ edges { node { id } } }';

describe('a plan is used again', () => {
  const query = `query($in: [Int!], $email: String, $mood: Mood, $first: Int, $after: Cursor) {
    accountCollection(
      filter: { id: { in: $in }, email: { eq: $email }, mood: { eq: $mood } }, first: $first, after: $after
    ) ${node}
  }`;
  const cursor = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64');

  test('with other values of the same shape', () => {
    const planner = new Planner(schema);
    const one = ask(query, { in: [1], email: 'a', mood: 'happy', first: 5, after: cursor(7) }, planner);
    const two = ask(query, { in: [2, 3], email: `b'"`, mood: 'SO_SO', first: 5, after: cursor(8) }, planner);
    expect(textOf(two)).toBe(textOf(one));
    expect(valuesOf(one)).toEqual(['{"1"}', 'a', 'happy', '7']);
    expect(valuesOf(two)).toEqual(['{"2","3"}', `b'"`, 'so-so', '8']);
  });

  test('but not for values that change the statement or the errors', () => {
    const planner = new Planner(schema);
    expect(textOf(ask(query, { first: 5 }, planner))).toContain('limit 5');
    expect(textOf(ask(query, { first: 7 }, planner))).toContain('limit 7');
    expect(textOf(ask(query, { first: 700 }, planner))).toContain('limit 30');
    expect(errorsOf(ask(query, { first: -1 }, planner))).toEqual(['`first` must be an unsigned integer']);
    expect(errorsOf(ask(query, { email: 'long'.repeat(3) }, planner))).toEqual([
      'Invalid input for String type. Maximum character length 10',
    ]);
    expect(errorsOf(ask(query, { mood: 'sad' }, planner))).toEqual(['Invalid input for Mood type']);
    expect(errorsOf(ask(query, { after: cursor(1, 2) }, planner))).toEqual([
      'orderBy clause incompatible with pagination cursor',
    ]);
    expect(errorsOf(ask(query, { after: '!' }, planner))).toEqual(['Failed to decode cursor, error 1']);
    expect(errorsOf(ask(query, { in: [1, 'x'] }, planner))).toEqual(['Invalid input for Int type']);
  });

  test('with an order and a condition from variables', () => {
    const planner = new Planner(schema);
    const ordered = `query($order: [AccountOrderBy!], $yes: Boolean!, $is: FilterIs) {
      accountCollection(orderBy: $order, filter: { mood: { is: $is } }) { edges { node { id email @include(if: $yes) } } }
    }`;
    const texts = [
      { order: [{ email: 'AscNullsFirst' }], yes: true, is: 'NULL' },
      { order: [{ email: 'DescNullsLast' }], yes: false, is: 'NOT_NULL' },
      { order: [{ email: 'DescNullsLast' }, { mood: 'AscNullsLast' }], yes: false, is: 'NOT_NULL' },
    ].map((variables) => textOf(ask(ordered, variables, planner)));
    expect(new Set(texts).size).toBe(3);
    expect(texts[0]).toMatch(/as "email".* is null.*"email" asc nulls first/);
    expect(texts[1]).toMatch(/is not null.*"email" desc nulls last/);
    expect(texts[1]).not.toContain('as "email"');
  });
});

describe('mutations', () => {
  test('rows of a variable have one statement for any number of rows', () => {
    const planner = new Planner(schema);
    const query =
      'mutation($rows: [AccountInsertInput!]!) { insertIntoAccountCollection(objects: $rows) { affectedCount } }';
    const one = ask(query, { rows: [{ email: 'a', tags: ['x', 'y"'] }] }, planner);
    const two = ask(
      query,
      {
        rows: [
          { email: 'b', tags: ['z'] },
          { email: 'c', tags: ['1'] },
        ],
      },
      planner,
    );
    expect(textOf(two)).toBe(textOf(one));
    expect(valuesOf(two)).toEqual(['{"b","c"}', String.raw`{"{\"z\"}","{\"1\"}"}`]);
    const mixed = textOf(ask(query, { rows: [{ email: 'b' }, { tags: null }] }, planner));
    expect(mixed).toContain('default');
    expect(errorsOf(ask(query, { rows: [] }, planner))).toEqual([
      'At least one record must be provided to objects',
    ]);
  });

  test('limits', () => {
    const query = 'mutation($n: Int!) { deleteFromAccountCollection(atMost: $n) { affectedCount } }';
    expect(ask(query, { n: 7 })).toMatchObject({
      steps: [{ limit: { rows: 7, message: 'delete impacts too many records' } }],
    });
    expect(ask(query.replace('(atMost: $n)', ''))).toMatchObject({ steps: [{ limit: { rows: 1 } }] });
  });

  test.each([
    [
      'updateAccountCollection(set: {}) { affectedCount }',
      'At least one mapping must be provided to set argument',
    ],
    [
      'updateAccountCollection(set: { id: 1, x: 2 }) { affectedCount }',
      'Input for type AccountUpdateInput contains extra keys ["x"]',
    ],
    [
      'insertIntoAccountCollection(objects: [{ email: 1 }]) { affectedCount }',
      'Invalid input for String(Some(10)) type',
    ],
    [
      'insertIntoAccountCollection(objects: []) { affectedCount }',
      'At least one record must be provided to objects',
    ],
    ['insertIntoAccountCollection(objects: [{}]) { records { x } }', `Unknown field 'x' on type 'Account'`],
    ['drop', 'Unknown field "drop" on type Mutation'],
  ])('%s', (field, message) => {
    expect(ask(`mutation { ${field} }`)).toEqual({
      kind: 'response',
      json: JSON.stringify({ data: null, errors: [{ message }] }),
    });
  });
});

describe('queries', () => {
  test('constants and data are one statement, and faulty fields have errors', () => {
    const made = ask(`{ t: __typename accountCollection ${node} x: nothing }`);
    expect(made).toMatchObject({
      kind: 'query',
      errors: [{ message: 'Unknown field "nothing" on type Query' }],
    });
    expect(valuesOf(made)).toEqual(['"Query"']);
    expect(ask('{ __typename }')).toEqual({ kind: 'response', json: '{"data":{"__typename":"Query"}}' });
    expect(ask('{ x }')).toMatchObject({ json: expect.stringContaining('"data":null') });
  });

  test.each([
    [`accountCollection(first: 1, last: 1) ${node}`, 'only one of "first" and "last" may be provided'],
    [
      `accountCollection(offset: 1, before: "WzFd") ${node}`,
      '"offset" may only be used with "first" and "after"',
    ],
    [`accountCollection(limit: 1) ${node}`, 'Input contains extra keys ["limit"]'],
    [`accountCollection(first: 99999999999999999999) ${node}`, 'Invalid Int input'],
    ['accountCollection { rows }', 'unknown field in connection'],
    ['accountCollection { aggregate { count } }', 'enable the aggregate directive to use aggregates'],
    ['accountByPk { id }', 'Missing primary key column(s): id'],
    ['accountByPk(id: 1) { x }', 'Unknown field "x" on type Account'],
    ['node(nodeId: "x") { nodeId }', 'Invalid value passed to nodeId argument. Error 2'],
    [
      `node(nodeId: "${Buffer.from('["a", "b", 1]').toString('base64')}") { nodeId }`,
      'Collection referenced by nodeId did not match any known collection',
    ],
    [
      `node(nodeId: "${Buffer.from('["public", "account", {}]').toString('base64')}") { nodeId }`,
      'Unexpected object in input value',
    ],
  ])('%s', (field, message) => {
    expect(errorsOf(ask(`{ ${field} }`))).toEqual([message]);
  });

  test('variables that are not an object', () => {
    expect(errorsOf(plan(schema, { query: '{ __typename }', variables: [1], operationName: null }))).toEqual([
      'variables must be an object',
    ]);
    expect(
      ask('query($__proto__: String) { __type: __typename }', JSON.parse('{"__proto__": {"x": 1}}')),
    ).toMatchObject({ json: '{"data":{"__type":"Query"}}' });
  });

  test('a row with many fields is built from parts', () => {
    const aliases = Array.from({ length: 120 }, (_, n) => `a${n}: id`).join(' ');
    const text = textOf(ask(`{ accountCollection { edges { cursor node { ${aliases} } } } }`));
    expect(text.match(/json_build_object\('a\d+'/g)).toHaveLength(3);
  });
});

describe('values never get into the text of a statement', () => {
  const attack = `'; drop table x; --"$1`;
  test.each([
    [
      'an argument',
      `{ accountCollection(filter: { email: { ilike: ${JSON.stringify(attack.slice(0, 9))} } }) ${node} }`,
    ],
    ['a list', `{ accountCollection(filter: { tags: { contains: [${JSON.stringify(attack)}] } }) ${node} }`],
    [
      'a cursor',
      `{ accountCollection(after: "${Buffer.from(JSON.stringify([attack])).toString('base64')}") ${node} }`,
    ],
    [
      'a node id',
      `{ node(nodeId: "${Buffer.from(JSON.stringify(['public', 'account', attack])).toString('base64')}") { nodeId } }`,
    ],
    ['a key', `{ accountByPk(id: ${JSON.stringify(attack)}) { id } }`],
    [
      'a row',
      `mutation { insertIntoAccountCollection(objects: [{ tags: [${JSON.stringify(attack)}] }]) { affectedCount } }`,
    ],
  ])('%s', (_, query) => {
    const made = ask(query);
    expect(textOf(made)).not.toContain('drop');
    expect(textOf(made)).not.toContain('ilike');
    expect(valuesOf(made).join()).toContain(`'; drop`);
  });

  test('names from the database are quoted', () => {
    const name = `x" as y; drop table z; --'`;
    const odd = buildSchema(
      catalogOf({
        tables: [
          table(100, name, [column(name, OID.int4, 'n', { comment: '@graphql({"name": "id"})' })], {
            comment: '@graphql({"name": "Odd"})',
          }),
        ],
      }),
    );
    const made = new Planner(odd).plan({
      query: '{ oddCollection { edges { node { id nodeId } } } }',
      variables: {},
      operationName: null,
    });
    expect(textOf(made)).toContain(`"x"" as y; drop table z; --'"`);
    expect(textOf(made)).toContain(`'x" as y; drop table z; --'''`);
    expect(
      textOf(made)
        .replaceAll(`"x"" as y; drop table z; --'"`, '')
        .replaceAll(`'x" as y; drop table z; --'''`, ''),
    ).not.toContain('drop');
  });
});

test('values can be elements of one array', () => {
  const made = plan(
    schema,
    {
      query: `{ accountCollection(filter: { id: { eq: 1 } }, offset: 2) ${node} }`,
      variables: {},
      operationName: null,
    },
    { placeholders: 'array' },
  );
  expect(textOf(made)).toMatch(/= *\) \(\$1\)\[1\]::integer.*offset \(\$1\)\[2\]::bigint/);
  expect(valuesOf(made)).toEqual(['1', '2']);
});

describe('steps', () => {
  const steps = (query: string) => {
    const work = new Planner(schema).planInSteps({ query, variables: {}, operationName: null });
    let count = 1;
    for (let step = work.next(); step.done !== true; step = work.next()) count += 1;
    return count;
  };

  test('the introspection of all types pauses after each type and each of its fields', () => {
    expect(steps('{ __schema { types { name } } }')).toBeGreaterThan(30);
    expect(steps('{ __schema { types { fields { name } } } }')).toBeGreaterThan(100);
  });

  test('all other requests are planned in one step', () => {
    expect(steps(`{ accountCollection ${node} __schema { queryType { name } } }`)).toBe(1);
    expect(steps('{ faulty')).toBe(1);
  });
});
