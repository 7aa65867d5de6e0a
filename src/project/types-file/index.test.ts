import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ColumnModel, readTypes, type ValueType } from './index.ts';

const inPublic = (body: string) => `export type Database = { public: { ${body} } }`;

/** Returns the columns of the only table, keyed by name. */
function columnsOf(row: string, insert = '', before = ''): Record<string, ColumnModel> {
  const text = `${before}\n${inPublic(`Tables: { t: { Row: { ${row} } ${insert && `Insert: { ${insert} }`} } }`)}`;
  const columns = readTypes(text)?.schemas[0]?.tables[0]?.columns ?? [];
  return Object.fromEntries(columns.map((column) => [column.name, column]));
}

const single = (kind: ValueType['kind']): ValueType => ({ kind, dimensions: 0 });

describe('a column in generated types', () => {
  test.each<[string, ValueType, boolean]>([
    ['string', single('string'), false],
    ['number | null', single('number'), true],
    ['boolean', single('boolean'), false],
    ['Json', single('json'), false],
    ['unknown', single('unknown'), false],
    ['string[] | null', { kind: 'string', dimensions: 1 }, true],
    ['string[][]', { kind: 'string', dimensions: 2 }, false],
    ['(string | null)[]', { kind: 'string', dimensions: 1 }, false],
    ['Array<number>', { kind: 'number', dimensions: 1 }, false],
    ["'a' | 'b' | null", single('string'), true],
    ['{ [key: string]: any } | null', single('json'), true],
    ['Record<string, unknown>', single('json'), false],
    [
      'Database["public"]["Enums"]["role"] | null',
      { kind: 'enum', name: { schema: 'public', name: 'role' }, dimensions: 0 },
      true,
    ],
    [
      "Database['app']['CompositeTypes']['pair'][]",
      { kind: 'composite', name: { schema: 'app', name: 'pair' }, dimensions: 1 },
      false,
    ],
    ['A', single('string'), true],
    ['() => void', single('unknown'), false],
  ])('column type %s', (written, type, nullable) => {
    expect(columnsOf(`c: ${written}`, '', 'type A = B; type B = string | null').c).toMatchObject({
      type,
      nullable,
    });
  });

  test('an insert type marks columns with a default as optional and excludes columns that can’t be set', () => {
    const columns = columnsOf('a: string; b: number; c: number', 'a?: string; b: number; c?: never');
    expect(Object.values(columns).map(({ optional, generated }) => [optional, generated])).toEqual([
      [true, false],
      [false, false],
      [true, true],
    ]);
  });

  test('reads quoted names, all separators and comments', () => {
    expect(
      Object.keys(columnsOf(`'a-b': string, // c: string\n readonly d: /* e: */ string\n"f\\"": string`)),
    ).toEqual(['a-b', 'd', 'f"']);
  });

  test('reads handwritten types', () => {
    const columns = columnsOf('', '', '').c;
    expect(columns).toBeUndefined();
    const text = `
      interface Base { id: string }
      export interface Note extends Base { title: string | null }
      export interface Database { public: { Tables: { notes: {
        Row: Note
        Insert: Omit<Note, 'id'> & Partial<Pick<Note, 'id'>>
        Update: Partial<Note>
      } } } }`;
    const [table] = readTypes(text)?.schemas[0]?.tables ?? [];
    expect(table?.columns.map(({ name, optional, nullable }) => [name, optional, nullable])).toEqual([
      ['id', true, false],
      ['title', false, true],
    ]);
  });
});

test('reads relationships, views, functions, enums and composite types', () => {
  const text = inPublic(`
    Tables: { a: { Row: { id: string }, Relationships: [{
      foreignKeyName: "a_id_fkey"; columns: ["id"]; isOneToOne: true; referencedRelation: "b"; referencedColumns: ["id"]
    }, { foreignKeyName: "broken" }] } }
    Views: { v: { Row: { n: number | null } } }
    Functions: {
      f: { Args: { x: string; y?: number }; Returns: { id: string }[] } | { Args: never; Returns: undefined }
      g: { Args: Record<PropertyKey, never>; Returns: boolean }
    }
    Enums: { role: "admin" | "user" }
    CompositeTypes: { [_ in never]: never }`);
  const schema = readTypes(text)?.schemas[0];
  expect(schema?.tables[0]?.relationships).toEqual([
    {
      name: 'a_id_fkey',
      columns: ['id'],
      isOneToOne: true,
      referencedRelation: 'b',
      referencedColumns: ['id'],
    },
  ]);
  expect(schema?.views.map(({ name, columns }) => [name, columns.length])).toEqual([['v', 1]]);
  expect(schema?.enums).toEqual([{ name: 'role', values: ['admin', 'user'] }]);
  expect(schema?.compositeTypes).toEqual([]);
  expect(
    schema?.functions.map(({ name, parameters, returns }) => [
      name,
      parameters.map((one) => [one.name, one.optional]),
      returns.isSet,
      returns.columns?.length ?? returns.type.kind,
    ]),
  ).toEqual([
    [
      'f',
      [
        ['x', false],
        ['y', true],
      ],
      true,
      1,
    ],
    ['f', [], false, 'unknown'],
    ['g', [], false, 'boolean'],
  ]);
});

test.each([
  '',
  'export const a = 1',
  'type Database = string',
  'interface Database { public: { Views: {} } }',
])('%j doesn’t describe a database', (text) => expect(readTypes(text)).toBeUndefined());

test('recursive types terminate', () => {
  expect(readTypes('type A = B; type B = A; type Database = A')).toBeUndefined();
  expect(readTypes('type Database = { public: { Tables: Partial<Database> } }')?.schemas).toHaveLength(1);
});

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const column = fc.record({
  name,
  kind: fc.constantFrom('string', 'number', 'boolean'),
  nullable: fc.boolean(),
  optional: fc.boolean(),
  dimensions: fc.integer({ min: 0, max: 2 }),
});

test('parsing the generator’s output returns the original model', () => {
  const table = fc.record({ name, columns: fc.uniqueArray(column, { selector: (one) => one.name }) });
  const tables = fc.uniqueArray(table, { selector: (one) => one.name });
  const printed = (one: { kind: string; nullable: boolean; dimensions: number }) =>
    `${one.kind}${'[]'.repeat(one.dimensions)}${one.nullable ? ' | null' : ''}`;
  fc.assert(
    fc.property(tables, (model) => {
      const body = model.map(({ name, columns }) => {
        const row = columns.map((one) => `${one.name}: ${printed(one)}`).join('\n');
        const insert = columns
          .map((one) => `${one.name}${one.optional ? '?' : ''}: ${printed(one)}`)
          .join('\n');
        return `${name}: {\nRow: {\n${row}\n}\nInsert: {\n${insert}\n}\nRelationships: []\n}`;
      });
      const read = readTypes(inPublic(`Tables: {\n${body.join('\n')}\n}`));
      const shown = read?.schemas[0]?.tables.map((one) => ({
        name: one.name,
        columns: one.columns.map(({ name, type, nullable, optional }) => {
          return { name, kind: type.kind, nullable, optional, dimensions: type.dimensions };
        }),
      }));
      expect(shown).toEqual(model);
    }),
  );
});

test('text is either parsed as a model or rejected', () => {
  const fragment = fc.constantFrom(
    'type ',
    'interface ',
    'Database',
    ' = ',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '|',
    '&',
    ':',
    ';',
    ',',
    '?',
    '"',
    "'",
    '`',
    '\\',
    '/*',
    '*/',
    '//',
    '\n',
    'Tables',
    'public',
    'Row',
    'a',
    '=>',
    'extends',
    'keyof ',
    '.',
    '1',
    'readonly ',
    '-',
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 60 }), (fragments) => {
      readTypes(`type Database = { public: { Tables: { ${fragments.join('')}`);
      readTypes(fragments.join(''));
    }),
    { numRuns: 500 },
  );
  expect(readTypes(`type Database = ${'['.repeat(100_000)}`)).toBeUndefined();
  expect(readTypes(`type Database = ${'{a:'.repeat(100_000)}`)).toBeUndefined();
});
