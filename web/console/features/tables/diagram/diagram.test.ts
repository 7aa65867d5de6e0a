import { expect, test } from 'vitest';
import type { DiagramColumn, DiagramKey, DiagramTable } from './api.ts';
import { arranged } from './arrange.ts';
import { type Box, edgeBetween, nodeSize, overlaps } from './geometry.ts';
import { graphOf, idOf, labelOf, selectedGraph, shownColumns } from './graph.ts';
import { mermaidText } from './mermaid.ts';
import { nextTable } from './movement.ts';
import { arrangementOf, placedEdges, placedTables } from './place.ts';
import { keepPositions, readPositions, withNewTables } from './positions.ts';
import { validateDiagramSearch } from './search.ts';
import { svgText } from './svg.ts';
import { fitted, opening, revealing, zoomed } from './view.ts';

const column = (name: string, type = 'bigint', primary_key = false): DiagramColumn => ({
  name,
  type,
  nullable: !primary_key,
  primary_key,
});

const keyTo = (columns: string[], table: string, more: Partial<DiagramKey> = {}): DiagramKey => ({
  name: `to_${table}`,
  columns,
  schema: 'public',
  table,
  references: ['id'],
  on_delete: 'no action',
  on_update: 'no action',
  deferrable: false,
  editable: true,
  unique: false,
  required: false,
  ...more,
});

const table = (name: string, keys: DiagramKey[] = [], more: Partial<DiagramTable> = {}): DiagramTable => ({
  schema: 'public',
  name,
  kind: 'table',
  estimated_rows: 3,
  rls: true,
  policies: 1,
  comment: null,
  columns: [
    column('id', 'bigint', true),
    column('note', 'text'),
    ...keys.flatMap(({ columns }) => columns.map((each) => column(each))),
  ],
  foreign_keys: keys,
  ...more,
});

const shop = [
  table('orders', [keyTo(['customer_id'], 'customers', { required: true })]),
  table('customers'),
  table('items', [keyTo(['order_id'], 'orders'), keyTo(['parent_id'], 'items', { unique: true })]),
  table('users', [], { schema: 'auth' }),
  table('islands'),
];

/** Names that could end a quoted text, begin a directive or close an element. */
const hostile = [
  'a"b',
  'line\nbreak',
  '%%{init: {"theme": "dark"}}%%',
  'direction TB',
  '</text><script>alert(1)</script>',
  "&amp; ' < >",
  '#35;semi;colon',
  '}',
  '{ x y }',
  'pk',
  'FK',
  'back\\slash`~',
  '1st',
  'bell\u0007',
  'ünïcode 表 😀',
  '__proto__',
];

const names = (tables: readonly DiagramTable[]): string[] => tables.map(labelOf);

test('the filters select schemas and neighborhoods', () => {
  const graph = graphOf(shop);
  expect(names(selectedGraph(graph, {}).tables)).toEqual([
    'public.customers',
    'public.islands',
    'public.items',
    'public.orders',
  ]);
  expect(names(selectedGraph(graph, { schema: 'auth' }).tables)).toEqual(['auth.users']);
  expect(selectedGraph(graph, { schema: '*' }).tables).toHaveLength(5);
  const near = 'public.customers';
  expect(names(selectedGraph(graph, { near }).tables)).toEqual(['public.customers', 'public.orders']);
  expect(selectedGraph(graph, { near, depth: 2 }).tables).toHaveLength(3);
  // A relation to a table that isn't selected has no line.
  expect(selectedGraph(graph, { near }).relationships).toHaveLength(1);
  // A table that doesn't exist isn't a filter.
  expect(selectedGraph(graph, { near: 'public.nothing' }).tables).toHaveLength(4);
});

test('only the columns of keys can be shown', () => {
  const [orders] = shop;
  if (orders === undefined) throw new Error('the table is missing');
  expect(shownColumns(orders, 'keys').map(({ name }) => name)).toEqual(['id', 'customer_id']);
  expect(shownColumns(orders, undefined)).toBe(orders.columns);
});

test('search parameters of any form are validated', () => {
  expect(
    validateDiagramSearch({ schema: 7, near: '', depth: '9', view: 'x', columns: 'keys', key: 'k' }),
  ).toEqual({ schema: '7', columns: 'keys' });
  expect(validateDiagramSearch({ depth: 2, view: 'list', open: 'a.b', key: 'k' })).toEqual({
    depth: 2,
    view: 'list',
    open: 'a.b',
    key: 'k',
  });
});

const boxesOf = (tables: readonly DiagramTable[]): Box[] => {
  const graph = graphOf(tables);
  const positions = arranged(arrangementOf(graph, undefined));
  return placedTables(graph, undefined, positions).map(({ box }) => box);
};

test('arranged tables never overlap', () => {
  const hub = [
    table('hub'),
    ...Array.from({ length: 60 }, (_, n) => table(`t${n}`, [keyTo(['hub_id'], 'hub')])),
  ];
  const islands = Array.from({ length: 20 }, (_, n) => table(`island${n}`));
  const boxes = boxesOf([...shop, ...hub, ...islands, ...hostile.map((name) => table(name))]);
  expect(boxes).toHaveLength(5 + 61 + 20 + hostile.length);
  const pairs = boxes.flatMap((left, index) => boxes.slice(index + 1).map((right) => [left, right] as const));
  expect(pairs.filter(([left, right]) => overlaps(left, right))).toEqual([]);
});

test('a table that many tables reference doesn’t make the diagram much higher than wide', () => {
  const boxes = boxesOf([
    table('hub'),
    ...Array.from({ length: 60 }, (_, n) => table(`t${n}`, [keyTo(['hub_id'], 'hub')])),
  ]);
  const height = Math.max(...boxes.map(({ y, height }) => y + height)) - Math.min(...boxes.map(({ y }) => y));
  const width = Math.max(...boxes.map(({ x, width }) => x + width)) - Math.min(...boxes.map(({ x }) => x));
  expect(height).toBeLessThan(width * 1.5);
});

test('tables without relations and an empty diagram can be arranged', () => {
  expect(arranged({ nodes: [], edges: [] }).size).toBe(0);
  expect(arranged({ nodes: [{ id: 'a', ...nodeSize(0) }], edges: [['a', 'a']] }).get('a')).toEqual({
    x: 0,
    y: 0,
  });
});

const drawn = (tables: readonly DiagramTable[]) => {
  const graph = graphOf(tables);
  const placed = placedTables(graph, undefined, arranged(arrangementOf(graph, undefined)));
  return { graph, placed, edges: placedEdges(graph, placed) };
};

test('an edge leaves a table at the side of the other table, in the row of the key', () => {
  const box = (x: number): Box => ({ x, y: 0, ...nodeSize(3) });
  expect(edgeBetween(box(0), 1, box(500), 0)).toMatchObject({ startSide: 1, endSide: -1 });
  expect(edgeBetween(box(500), 1, box(0), 0)).toMatchObject({ startSide: -1, endSide: 1 });
  // A table that references itself has a loop at its right side.
  expect(edgeBetween(box(0), 1, box(0), 0)).toMatchObject({ startSide: 1, endSide: 1 });
  // If the column isn't shown, the edge ends at the table's name.
  expect(edgeBetween(box(0), -1, box(500), 0).start.y).toBe(22);
});

test('arrow keys move to related tables, and through all tables by name', () => {
  const { placed, edges } = drawn(shop.filter(({ schema }) => schema === 'public'));
  const id = (name: string) => idOf({ schema: 'public', name });
  const next = (name: string, key: string) => nextTable(placed, edges, id(name), key);
  expect(next('orders', 'ArrowRight')).toBe(id('customers'));
  expect(next('orders', 'ArrowLeft')).toBe(id('items'));
  // Without a related table, the focus stays.
  expect(next('islands', 'ArrowRight')).toBe(id('islands'));
  expect(next('orders', 'ArrowDown')).toBe(id('customers'));
  expect(next('orders', 'ArrowUp')).toBe(id('orders'));
  expect(next('orders', 'End')).toBe(id('islands'));
  expect(next('orders', 'x')).toBeUndefined();
});

test('stored positions survive, and new tables are placed below', () => {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
  try {
    expect(readPositions('view')).toBeUndefined();
    keepPositions('view', new Map([['__proto__', { x: 1.4, y: 2 }]]));
    keepPositions('other', new Map());
    expect(readPositions('view')).toEqual(new Map([['__proto__', { x: 1, y: 2 }]]));
    keepPositions('view', undefined);
    expect(readPositions('view')).toBeUndefined();
    for (let view = 0; view < 50; view++) keepPositions(`view ${view}`, new Map());
    expect(JSON.parse(items.get('plinth.diagram') ?? '')).toHaveLength(20);
    for (const broken of ['{', '{}', '[1]', '[["view",[["a","x",2]]]]']) {
      items.set('plinth.diagram', broken);
      expect(readPositions('view')).toBeUndefined();
    }
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'localStorage');
    else Object.defineProperty(globalThis, 'localStorage', before);
  }
  const nodes = ['a', 'b', 'c'].map((id) => ({ id, ...nodeSize(2) }));
  const positions = withNewTables(new Map([['a', { x: 10, y: 20 }]]), nodes);
  const boxes = nodes.map(({ id, ...size }): Box => ({ ...size, ...(positions.get(id) ?? { x: 0, y: 0 }) }));
  expect(positions.get('a')).toEqual({ x: 10, y: 20 });
  expect(boxes.flatMap((left, at) => boxes.slice(at + 1).filter((right) => overlaps(left, right)))).toEqual(
    [],
  );
});

test('the view keeps the point below the pointer, and reveals a table', () => {
  const view = zoomed({ x: 100, y: 50, zoom: 1 }, 2, { x: 300, y: 200 });
  expect((300 - view.x) / view.zoom).toBe(200);
  expect((200 - view.y) / view.zoom).toBe(150);
  expect(zoomed(view, 1e9, { x: 0, y: 0 }).zoom).toBe(2);
  const window = { width: 800, height: 600 };
  const content = { x: 0, y: 0, width: 8000, height: 6000 };
  expect(fitted(content, window).zoom).toBeLessThan(0.1);
  // The corner of the diagram is in the corner of the window.
  expect(opening(content, { x: 0, y: 0, width: 200, height: 100 }, window)).toEqual({
    zoom: 0.5,
    x: 24,
    y: 24,
  });
  const far = { x: 5000, y: 5000, width: 200, height: 100 };
  const revealed = revealing({ x: 0, y: 0, zoom: 1 }, far, window);
  expect(far.x + far.width + revealed.x).toBeLessThan(window.width);
  expect(far.y + revealed.y).toBeGreaterThan(0);
  expect(revealing(revealed, far, window)).toEqual(revealed);
});

test('Mermaid contains the columns, keys and cardinalities', () => {
  const { graph } = drawn(shop);
  const text = mermaidText(graph);
  expect(text).toContain('  "orders" {\n    bigint id PK\n    text note\n    bigint customer_id FK\n  }\n');
  expect(text).toContain('  "orders" }o--|| "customers" : "customer_id"\n');
  expect(text).toContain('  "items" |o--o| "items" : "parent_id"\n');
  expect(text).toContain('  "auth.users" {\n');
});

test('hostile names can’t change the meaning of Mermaid text', () => {
  const tables = hostile.map((name, index) =>
    table(name, [keyTo([name], hostile[(index + 1) % hostile.length] ?? '')], {
      columns: [column(name, name), column('id')],
    }),
  );
  const lines = mermaidText(graphOf(tables)).trimEnd().split('\n');
  const forms = [
    /^erDiagram$/,
    /^ {2}"[^"%#;\\<>&{}\n]+" \{$/,
    /^ {2}\}$/,
    /^ {4}[\p{L}\p{M}_][\p{L}\p{M}\p{N}_()[\]-]* [\p{L}\p{M}_][\p{L}\p{M}\p{N}_()[\]-]*( PK)?(,? FK)?( "[^"%#;\\<>&{}]+")?$/u,
    /^ {2}"[^"%#;\\<>&{}]+" \}o--o\| "[^"%#;\\<>&{}]+" : "[^"%#;\\<>&{}]+"$/,
  ];
  expect(lines.filter((line) => !forms.some((form) => form.test(line)))).toEqual([]);
  expect(
    lines.filter((line) => /direction\s+TB/i.test(line) || /^ {4}\S+ (?:pk|fk|uk)\b/i.test(line)),
  ).toEqual([]);
  // Tables whose names differ only in replaced characters stay different.
  expect(mermaidText(graphOf([table('a"'), table('a%')])).match(/^ {2}"a_( 2)?" \{$/gm)).toHaveLength(2);
});

test('hostile names are escaped in SVG', () => {
  const tables = hostile.map((name) =>
    table(name, [keyTo([name], hostile[0] ?? '')], { columns: [column(name, name)], comment: name }),
  );
  const { placed, edges } = drawn(tables);
  const color = '#000000';
  const colors = {
    page: color,
    surface: color,
    sunken: color,
    line: color,
    edge: color,
    text: color,
    dimmed: color,
    warning: color,
  };
  const text = svgText({ tables: placed, edges, colors, detailOf: () => '<detail>' });
  expect(text).not.toMatch(/<script|<detail/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 doesn't permit these characters
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  // Each element is one of these, and everything else is text without markup.
  const rest = text.replaceAll(/<\/?(?:svg|g|rect|path|text|title)(?: [a-z-A-Z]+="[^"<>&]*")*\/?>/g, '');
  expect(rest).not.toMatch(/[<>]/);
  expect(rest.replaceAll(/&(?:amp|lt|gt|quot);/g, '')).not.toContain('&');
});
