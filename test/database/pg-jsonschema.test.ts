// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
/**
 * Tests pg_jsonschema. If the environment variable JSON_SCHEMA_TEST_SUITE contains the path of a copy of the official
 * test suite (json-schema-org/JSON-Schema-Test-Suite), all of its tests run, and the number of passed tests per draft is
 * printed and compared.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Pool } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
let postgres: Pool;
beforeAll(async () => {
  own = await createTestDatabase('pg-jsonschema');
  postgres = own.database.pool('postgres');
  await postgres.exec('create extension pg_jsonschema with schema extensions');
});
afterAll(() => own?.drop());

const drafts = {
  4: 'http://json-schema.org/draft-04/schema#',
  6: 'http://json-schema.org/draft-06/schema#',
  7: 'http://json-schema.org/draft-07/schema#',
  2019: 'https://json-schema.org/draft/2019-09/schema',
  2020: 'https://json-schema.org/draft/2020-12/schema',
} as const;

async function matches(schema: unknown, instance: unknown): Promise<boolean> {
  const [row] = await postgres.query<{ matches: boolean }>(sql`
    select extensions.json_matches_schema(${JSON.stringify(schema)}::json, ${JSON.stringify(instance)}::json) as matches`);
  return row?.matches === true;
}

async function errors(schema: unknown, instance: unknown): Promise<readonly string[]> {
  const [row] = await postgres.query<{ errors: string[] }>(sql`
    select extensions.jsonschema_validation_errors(${JSON.stringify(schema)}::json, ${JSON.stringify(instance)}::json)
      as errors`);
  return row?.errors ?? [];
}

describe('keywords', () => {
  test.each<[string, unknown, unknown[], unknown[]]>([
    ['type', { type: ['integer', 'null'] }, [1, 1.0, null], [1.5, '1', true]],
    ['boolean schemas', { properties: { a: false } }, [{}, 1], [{ a: 1 }]],
    [
      'const and enum',
      { anyOf: [{ const: { a: [1, null] } }, { enum: [0, 'x', []] }] },
      [{ a: [1, null] }, 'x', []],
      [false, {}],
    ],
    ['numbers', { minimum: 1, exclusiveMaximum: 3, multipleOf: 0.1 }, [1, 2.9, 'a'], [0.9, 3, 2.95]],
    ['strings', { minLength: 2, maxLength: 3, pattern: '^\\d*😀?$' }, ['12', '1😀', 1], ['1', '12345', 'ab']],
    [
      'arrays',
      { prefixItems: [{ type: 'string' }], items: { type: 'number' }, uniqueItems: true, minItems: 1 },
      [['a', 1]],
      [[], ['a', 'b'], ['a', 1, 1.0]],
    ],
    [
      'contains',
      { contains: { minimum: 5 }, minContains: 2, maxContains: 3 },
      [
        [5, 6],
        [1, 5, 6, 7],
      ],
      [[5], [5, 6, 7, 8]],
    ],
    [
      'objects',
      {
        required: ['a'],
        patternProperties: { '^x': { type: 'number' } },
        properties: { a: {} },
        additionalProperties: false,
        maxProperties: 2,
      },
      [{ a: 1 }, { a: 1, x1: 2 }],
      [{}, { a: 1, b: 1 }, { a: 1, x1: 'b' }, { a: 1, x1: 1, x2: 2 }],
    ],
    ['property names', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    [
      'dependencies',
      { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
      [{ a: 1, b: 1 }, { b: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
    [
      'composition',
      { allOf: [{ minimum: 1 }], oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }], not: { const: 4 } },
      [2, 9],
      [6, 4, 5],
    ],
    [
      'conditions',
      { if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } },
      ['ab', 2],
      ['a', 1],
    ],
    [
      'references',
      {
        $defs: { 'a/b%': { type: 'integer' } },
        properties: { x: { $ref: '#/$defs/a~1b%25' }, y: { $ref: '#' } },
      },
      [{ x: 1, y: { x: 2 } }],
      [{ x: 'a' }, { y: { x: 'a' } }],
    ],
    [
      'identifiers',
      {
        $id: 'https://example.com/a/b',
        $defs: { c: { $id: 'c', $anchor: 'here', type: 'string' } },
        anyOf: [{ $ref: 'c' }, { $ref: '/a/c#here' }],
      },
      ['a'],
      [1],
    ],
    [
      'dynamic references',
      {
        $id: 'https://example.com/strict',
        $dynamicAnchor: 'node',
        $ref: 'tree',
        unevaluatedProperties: false,
        $defs: {
          tree: {
            $id: 'tree',
            $dynamicAnchor: 'node',
            properties: { data: true, children: { items: { $dynamicRef: '#node' } } },
          },
        },
      },
      [{ children: [{ data: 1 }] }],
      [{ children: [{ daat: 1 }] }],
    ],
    [
      'unevaluated',
      {
        allOf: [{ properties: { a: true } }],
        if: { required: ['b'] },
        then: { properties: { b: true } },
        unevaluatedProperties: false,
      },
      [{ a: 1, b: 1 }, {}],
      [{ c: 1 }],
    ],
    [
      'unevaluated items',
      { prefixItems: [true], contains: { const: 'x' }, unevaluatedItems: { type: 'number' } },
      [[1, 'x', 2]],
      [[1, 'x', 'y']],
    ],
  ])('%s', async (_, schema, valid, invalid) => {
    for (const instance of valid)
      expect([instance, await matches(schema, instance)]).toEqual([instance, true]);
    for (const instance of invalid)
      expect([instance, await matches(schema, instance)]).toEqual([instance, false]);
  });

  test('drafts differ in items, in exclusive limits and in what a reference ignores', async () => {
    expect(
      await matches({ $schema: drafts[7], items: [{ type: 'string' }], additionalItems: false }, ['a', 1]),
    ).toBe(false);
    expect(await matches({ $schema: drafts[4], minimum: 1, exclusiveMinimum: true }, 1)).toBe(false);
    const reference = { $ref: '#/definitions/a', maximum: 1, definitions: { a: {} } };
    expect(await matches({ $schema: drafts[7], ...reference }, 2)).toBe(true);
    expect(await matches(reference, 2)).toBe(false);
  });

  test.each([
    [
      'date-time',
      ['2024-02-29T23:59:60Z', '2024-01-01t00:00:00.5+01:00'],
      ['2023-02-29T00:00:00Z', '2024-01-01 00:00:00Z'],
    ],
    ['email', ['a.b@example.com', '"a b"@[127.0.0.1]'], ['a', 'a..b@example.com', 'a@-b.com']],
    ['ipv6', ['::1', '1::', '::ffff:1.2.3.4'], ['1:2:3:4:5:6:7', '12345::', '::1%eth0', '1::2::3']],
    ['uri', ['http://u:p@[::1]:80/a?b#c', 'urn:x:y'], ['//a/b', 'a b:c', 'http://a:b/', 'http://a/\\']],
    ['hostname', ['a-b.example', 'xn--ihqwcrb4cv8a8dqg056pqjye'], ['-a', 'a_b', 'xn--X']],
    ['regex', ['^(?<year>\\d{4})$'], ['(', 'a**', '(?i)a']],
    ['json-pointer', ['', '/a~0b/c'], ['a', '/~2']],
    ['uri-template', ['/a/{b}{?c*,d:3}'], ['/a/{b', '/{}']],
  ])('the format %s is checked until draft 7', async (format, valid, invalid) => {
    const schema = { $schema: drafts[7], format };
    for (const value of valid) expect([value, await matches(schema, value)]).toEqual([value, true]);
    for (const value of invalid) expect([value, await matches(schema, value)]).toEqual([value, false]);
    expect(await matches({ format }, invalid[0])).toBe(true);
  });

  test.each([
    ['^\\w+$', 'ab_1', 'é'],
    ['^[\\w.]+\\.$', 'a.b.', 'a'],
    ['^.$', 'a', '\n'],
    ['^\\u{1F600}\\x41$', '😀A', 'A'],
    ['\\bfoo\\b', 'a foo', 'foobar'],
    ['^a{1,1000}$', 'a'.repeat(1000), 'a'.repeat(1001)],
    ['^(ab){300}$', 'ab'.repeat(300), 'ab'.repeat(299)],
    ['^[[.]$', '[', '='],
    ['^\\p{Lu}', 'Éa', 'éa'],
    ['^{$', '{', '}'],
  ])('the regular expression %j means the same as in ECMAScript', async (pattern, valid, invalid) => {
    expect(await matches({ pattern }, valid)).toBe(true);
    expect(await matches({ pattern }, invalid)).toBe(false);
  });
});

test('error messages are those of the original', async () => {
  const schema = {
    type: 'object',
    required: ['zip'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', maxLength: 4, minLength: 6 },
      age: { type: ['integer', 'null'], minimum: 2 },
      role: { enum: ['a', 'b', 'c', 'd'] },
      tags: { uniqueItems: true, items: { const: { b: 1, a: 2 } } },
      one: { oneOf: [{ type: 'string' }, { maximum: 1 }], not: { type: 'string' } },
    },
  };
  const instance = { name: 'five!', age: 1, role: 1, tags: [1, 1], one: 'x', q: 1, r: 2 };
  expect([...(await errors(schema, instance))].sort()).toEqual([
    '"five!" is longer than 4 characters',
    '"five!" is shorter than 6 characters',
    '"x" is valid under more than one of the schemas listed in the \'oneOf\' keyword',
    '"zip" is a required property',
    '1 is less than the minimum of 2',
    '1 is not one of "a", "b" or 2 other candidates',
    "Additional properties are not allowed ('q', 'r' were unexpected)",
    '[1,1] has non-unique elements',
    '{"a":2,"b":1} was expected',
    '{"a":2,"b":1} was expected',
    '{"type":"string"} is not allowed for "x"',
  ]);
  expect(await errors({ maxLength: 4 }, '123456789')).toEqual(['"123456789" is longer than 4 characters']);
  expect(await errors({ enum: 1 }, 1)).toEqual(['1 is not of type "array"']);
  expect(await errors({ maxLength: 4 }, 'a')).toEqual([]);
});

test('a schema is checked against its meta-schema, and a notice contains the path of the fault', async () => {
  const notices: string[] = [];
  const session = await postgres.connect();
  session.onNotice(({ message }) => notices.push(message));
  const valid = await session.query<{ valid: boolean }>(sql`
      select extensions.jsonschema_is_valid(schema::json) as valid from (values
        ('{"type": "object", "properties": {"a": {"minLength": 1}}}'),
        ('{"properties": {"a/b": {"minLength": -1}}}'),
        ('{"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": 1}'),
        ('{"$schema": "https://example.com/schema"}')) s (schema)`);
  session.destroy();
  expect(valid.map((row) => row.valid)).toEqual([true, false, false, false]);
  expect(notices[0]).toBe('Invalid JSON schema at path: /properties/a~1b/minLength');
});

test('a constraint works for API roles, with an empty search path and after a rename of its schema', async () => {
  await postgres.exec(`
    create table public.customers (metadata jsonb, check (
      extensions.jsonb_matches_schema('{"properties": {"tags": {"items": {"type": "string", "pattern": "^\\\\w+$"}}}}', metadata)));
    grant insert on public.customers to anon;
    set search_path = ''; set role anon;
    insert into public.customers values ('{"tags": ["vip"]}')`);
  await expect(
    postgres.exec(`set role anon; insert into public.customers values ('{"tags": [1]}')`),
  ).rejects.toMatchObject({ code: '23514' });
  await postgres.exec('reset role; reset search_path');
});

test('the type jsonschema accepts only valid schemas', async () => {
  const [row] = await postgres.query(sql`
    select extensions.jsonb_matches_compiled_schema('{"type":"string"}', '"a"') as first,
      extensions.json_matches_compiled_schema('{"type":"string"}'::json::extensions.jsonschema, '1') as second,
      extensions.jsonb_validation_errors_compiled('{"maxLength":1}', '"ab"') as third,
      '{"b":1,"a":2}'::extensions.jsonschema = '{"a":2,"b":1}'::extensions.jsonschema as fourth`);
  expect(row).toEqual({
    first: true,
    second: false,
    third: ['"ab" is longer than 1 character'],
    fourth: true,
  });
  await expect(postgres.query(sql`select '{"type": 1}'::extensions.jsonschema`)).rejects.toMatchObject({
    code: '22023',
  });
});

test.each<[string, unknown, unknown, string]>([
  ['a reference to itself', { $ref: '#' }, 1, '54001'],
  [
    'a mutual reference',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
    1,
    '54001',
  ],
  ['an unknown type', { type: 'strin' }, 1, '22023'],
  ['a limit that isn’t a number', { maxLength: '4' }, 'a', '22023'],
  ['a reference to another document', { $ref: 'https://example.com/other' }, 1, '22023'],
  ['a reference to nothing', { $ref: '#/$defs/nothing' }, 1, '22023'],
  ['an unknown meta-schema', { $schema: 'https://example.com/schema' }, 1, '22023'],
  ['an invalid regular expression', { pattern: '(' }, 'a', '2201B'],
  ['an enormous regular expression', { pattern: '^((a{0,9999}){0,9999}){0,9999}$' }, 'a', '2201B'],
])('%s ends with an error', async (_, schema, instance, code) => {
  await expect(matches(schema, instance)).rejects.toMatchObject({ code });
  expect(await matches({ type: 'string' }, 'still alive')).toBe(true);
});

test('nested values and regular expressions that backtrack elsewhere are validated', async () => {
  const deep = (levels: number): unknown => (levels === 0 ? {} : { a: deep(levels - 1) });
  expect(await matches({ properties: { a: { $ref: '#' } } }, deep(80))).toBe(true);
  await expect(matches({ properties: { a: { $ref: '#' } } }, deep(500))).rejects.toMatchObject({
    code: '54001',
  });
  expect(await matches({ pattern: '^(a+)+$' }, `${'a'.repeat(5000)}b`)).toBe(false);
});

const suite = process.env.JSON_SCHEMA_TEST_SUITE;

interface SuiteGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

/** Tests that can't pass, because they need another document, or a NUL character, which jsonb can't contain. */
const isExcluded = (file: string, group: SuiteGroup, data: unknown): boolean =>
  ['refRemote.json', 'vocabulary.json'].includes(file) ||
  JSON.stringify([group.schema, data]).includes('\\u0000') ||
  (JSON.stringify(group.schema).includes('localhost:1234') &&
    /detached|extendible|strict-tree|anchor within remote/.test(
      `${JSON.stringify(group.schema)} ${group.description}`,
    ));

describe.runIf(suite !== undefined)('the official test suite', () => {
  test.each([
    ['draft4', drafts[4], 584],
    ['draft6', drafts[6], 779],
    ['draft7', drafts[7], 867],
    ['draft2019-09', drafts[2019], 1179],
    ['draft2020-12', drafts[2020], 1204],
  ])('%s', async (folder, uri, least) => {
    const path = join(suite ?? '', 'tests', folder);
    const failures: string[] = [];
    let passed = 0;
    let excluded = 0;
    for (const file of readdirSync(path).filter((name) => name.endsWith('.json'))) {
      for (const group of JSON.parse(readFileSync(join(path, file), 'utf8')) as SuiteGroup[]) {
        const schema =
          typeof group.schema === 'object' ? { $schema: uri, ...(group.schema as object) } : group.schema;
        for (const { description, data, valid } of group.tests) {
          if (isExcluded(file, group, data)) {
            excluded += 1;
            continue;
          }
          const result = await matches(schema, data).catch((error: Error) => error.message);
          if (result === valid) passed += 1;
          else failures.push(`${file}: ${group.description}: ${description}: ${result}`);
        }
      }
    }
    console.log(`${folder}: ${passed} passed, ${failures.length} failed, ${excluded} excluded`);
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThanOrEqual(least);
  });
});
