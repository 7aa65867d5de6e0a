import { expect, test } from 'vitest';
import type { Column } from '../../api/types.ts';
import { callOf, operations, type Snippet, sampleRow, usageOf } from './snippets.ts';

const column = (name: string, type: string, more: Partial<Column> = {}): Column => ({
  name,
  type,
  nullable: false,
  default: null,
  generated: false,
  identity: null,
  primary_key: false,
  enum_values: null,
  references: null,
  comment: null,
  ...more,
});
const columns = [
  column('id', 'bigint', { primary_key: true, identity: 'always' }),
  column('title', 'text'),
  column('mood', 'mood', { enum_values: ['calm', 'busy'] }),
  column('note', 'text', { nullable: true }),
];
const address = { url: 'http://127.0.0.1:54321', key: 'sb_publishable_x' };
const textOf = (snippets: readonly Snippet[] = [], label: Snippet['label']): string =>
  snippets.find((each) => each.label === label)?.text ?? '';
const scriptOf = (text: string) => text.replace(/^const .*? = /, '');

test('a sample row has values only for required columns', () => {
  expect(sampleRow(columns)).toEqual({ title: 'text', mood: 'calm' });
  expect(sampleRow([column('a', 'integer', { nullable: true })])).toEqual({ a: 1 });
});

test('each operation is shown for all clients and curl', () => {
  const all = operations.map((each) => usageOf(each, { schema: undefined, name: 'tasks' }, columns, address));
  expect(all.map(({ request }) => `${request.method} ${request.path}`)).toEqual([
    'GET tasks?select=*&limit=10',
    'POST tasks',
    'PATCH tasks?id=eq.1',
    'DELETE tasks?id=eq.1',
  ]);
  expect(all.map(({ snippets }) => scriptOf(snippets[0]?.text ?? ''))).toEqual([
    "await supabase\n  .from('tasks')\n  .select()\n  .limit(10);",
    "await supabase\n  .from('tasks')\n  .insert({ title: 'text', mood: 'calm' })\n  .select();",
    "await supabase\n  .from('tasks')\n  .update({ title: 'text', mood: 'calm' })\n  .eq('id', 1)\n  .select();",
    "await supabase\n  .from('tasks')\n  .delete()\n  .eq('id', 1);",
  ]);
  expect(textOf(all[1]?.snippets, 'curl')).toBe(
    'curl -X POST \'http://127.0.0.1:54321/rest/v1/tasks\' \\\n  -H \'apikey: sb_publishable_x\' \\\n  -H \'Content-Type: application/json\' \\\n  -d \'{"title":"text","mood":"calm"}\'',
  );
});

test('another schema is selected with the right header', () => {
  const table = { schema: 'inner', name: 'tasks' };
  const [read, write] = [
    usageOf('select', table, columns, address),
    usageOf('insert', table, columns, address),
  ];
  expect(read.request.schema).toBe('inner');
  expect(read.snippets.map(({ text }) => text).join('\n')).toMatch(
    /\.schema\('inner'\)[\s\S]*Accept-Profile: inner[\s\S]*"inner"\."tasks"/,
  );
  expect(textOf(write.snippets, 'curl')).toContain('Content-Profile: inner');
});

test('a function is called with its required arguments', () => {
  const { request, snippets } = callOf(
    {
      name: 'add',
      arguments: [
        { name: 'a', type: 'integer', required: true },
        { name: 'odd name', type: 'uuid', required: true },
        { name: 'c', type: 'text', required: false },
      ],
    },
    undefined,
    address,
  );
  expect(request).toMatchObject({ method: 'POST', path: 'rpc/add' });
  expect(snippets[0]?.text).toContain(
    ".rpc('add', { a: 1, 'odd name': '00000000-0000-0000-0000-000000000000' })",
  );
});

test('a name can’t end a string in a snippet', () => {
  const table = { schema: `s'"`, name: `a'b\\"; drop` };
  const odd = [column(`id'`, 'text', { primary_key: true })];
  for (const each of operations) {
    const { snippets } = usageOf(each, table, odd, { url: 'http://x', key: `k'` });
    const script = textOf(snippets, 'supabase-js');
    const shell = textOf(snippets, 'curl');
    // Evaluates the snippet as JavaScript and records the arguments of its calls.
    const calls: unknown[] = [];
    const supabase = new Proxy(() => undefined, {
      get: (_target, name) => (name === 'then' ? undefined : supabase),
      apply: (_target, _self, args) => {
        calls.push(...args);
        return supabase;
      },
    }) as unknown as object;
    new Function('supabase', script.replace(/^const .*? = await /, 'return '))(supabase);
    expect(calls).toEqual(expect.arrayContaining([table.schema, table.name]));
    // In a shell, a single quote inside single-quoted text must be written as '\''.
    expect(shell.replaceAll(`'\\''`, '').split("'").length % 2).toBe(1);
  }
});
