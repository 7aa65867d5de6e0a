import { expect, test } from 'vitest';
import { withComputedFields } from './client-types.ts';

const columns = [
  { schema: 'public', table: 'people', name: 'id' },
  { schema: 'public', table: 'people', name: 'a "b"' },
  { schema: 'my app', table: 'full_name', name: 'full_name' },
];

const types = (computed: (fields: string) => string) => `export type Database = {
  "my app": {
    Tables: {
      full_name: {
        Row: {
          full_name: string
        }
${computed('never')}        Insert: {
          full_name: string
        }
      }
    }
  }
  public: {
    Tables: {
      empty: {
        Row: {}
${computed('never')}        Insert: {}
      }
      people: {
        Row: {
          "a \\"b\\"":
            | "one"
            | "two"
          id: number
          friends: {
            id: number
            other: string
          } | null
          full_name: string | null
        }
${computed('"friends" | "full_name"')}        Insert: {
          id: number
        }
        Relationships: []
      }
    }
    Functions: {
      full_name: {
        Args: { "": string }
        Returns: string
      }
    }
  }
}
`;

test('names in a row that aren’t column names', () => {
  expect(
    withComputedFields(
      types(() => ''),
      columns,
    ),
  ).toBe(types((fields) => `        ComputedFields: ${fields}\n`));
});

test('many names, with one per line', () => {
  const names = Array.from({ length: 8 }, (_, index) => `computed_${index}`);
  const row = [
    '  public: {',
    '      people: {',
    '        Row: {',
    ...names.map((name) => `          ${name}: string`),
  ];
  const lines = withComputedFields([...row, '        }'].join('\n'), columns).split('\n');
  expect(lines.slice(-9)).toEqual([
    '        ComputedFields:',
    ...names.map((name) => `          | "${name}"`),
  ]);
});
