/** Cells and columns without React: what is shown, what can be edited, and how wide it is. */
import type {
  Cell,
  CellChange,
  Column,
  EditedRow,
  Relation,
  RowKey,
  RowPage,
  RowValues,
} from '../../api/types.ts';

/** The length to which the server truncates cells for the grid. */
const cellChars = 400;
/** A cell in the grid is one line. The rest is shown in the panel. */
const shownChars = 160;

export interface GridRow {
  readonly cells: readonly Cell[];
  /** The indexes of columns that the server truncated. */
  readonly cut: readonly number[];
  /** Undefined for a row that can't be identified: it has no key, or its key is truncated. */
  readonly key: RowKey | undefined;
}

const rowsOfPages = new WeakMap<
  RowPage,
  { readonly relation: Relation; readonly rows: readonly GridRow[] }
>();

/** Whether the page has the relation's columns. The table may have been altered between the two responses. */
export const hasColumnsOf = (relation: Relation, page: RowPage): boolean =>
  page.columns.length === relation.columns.length &&
  relation.columns.every(({ name }, index) => page.columns[index] === name);

/** Arranges a page's cells under the relation's columns, whatever columns the table had when the page was read. */
function arranged(relation: Relation, page: RowPage): Pick<RowPage, 'rows' | 'cut'> {
  if (hasColumnsOf(relation, page)) return page;
  const places = relation.columns.map(({ name }) => page.columns.indexOf(name));
  return {
    rows: page.rows.map((row) => places.map((place) => row[place] ?? null)),
    cut: page.cut.flatMap(([row, place]) => {
      const column = places.indexOf(place);
      return column < 0 ? [] : [[row, column] as const];
    }),
  };
}

/** Returns a page's rows as the same objects on every call, so that rendered rows can be reused. */
export function gridRows(relation: Relation, page: RowPage): readonly GridRow[] {
  const known = rowsOfPages.get(page);
  if (known?.relation === relation) return known.rows;
  const cells = arranged(relation, page);
  const cuts = new Map<number, number[]>();
  for (const [row, column] of cells.cut) cuts.set(row, [...(cuts.get(row) ?? []), column]);
  const rows = cells.rows.map((row, index) => {
    const cut = cuts.get(index) ?? [];
    return { cells: row, cut, key: page.keys === null ? keyIn(relation, row, cut) : page.keys[index] };
  });
  rowsOfPages.set(page, { relation, rows });
  return rows;
}

/** Truncates a row's cells like the server does for the grid. */
export function cutCells(columns: readonly string[], values: RowValues): Pick<GridRow, 'cells' | 'cut'> {
  const cut: number[] = [];
  const cells = columns.map((name, index) => {
    const value = values[name] ?? null;
    if (value === null || value.length <= cellChars) return value;
    cut.push(index);
    return value.slice(0, cellChars);
  });
  return { cells, cut };
}

/**
 * Returns a page with some rows replaced, by the text of their former key. Returns the same object if none of them is
 * on the page.
 */
export function withRows(
  relation: Relation,
  page: RowPage,
  made: ReadonlyMap<string, Pick<EditedRow, 'key' | 'row'>>,
): RowPage {
  const found = gridRows(relation, page).map(({ key }) => key && made.get(keyText(key)));
  if (found.every((done) => done === undefined)) return page;
  const cells = found.map((done) => done && cutCells(page.columns, done.row));
  return {
    ...page,
    rows: page.rows.map((row, at) => cells[at]?.cells ?? row),
    keys: page.keys?.map((former, at) => found[at]?.key ?? former) ?? null,
    cut: [
      ...page.cut.filter(([at]) => cells[at] === undefined),
      ...cells.flatMap((row, at) => row?.cut.map((column) => [at, column] as const) ?? []),
    ],
  };
}

/** Makes line breaks visible, because a cell has a single line. */
export const oneLine = (text: string): string => text.slice(0, shownChars).replaceAll(/\r\n|\r|\n/g, ' ↵ ');

export type Editor = 'text' | 'choice' | 'panel';

const longTypes = /^(jsonb?|xml|bytea|tsvector)$/;

export function editorOf(column: Column, value: Cell, isCut: boolean): Editor {
  if (column.type === 'boolean' || column.enum_values !== null) return 'choice';
  if (
    isCut ||
    (value !== null && (/[\r\n]/.test(value) || (longTypes.test(column.type) && value.length > 60)))
  )
    return 'panel';
  return 'text';
}

export const choicesOf = (column: Column): readonly string[] =>
  column.type === 'boolean' ? ['true', 'false'] : (column.enum_values ?? []);

/** PostgreSQL writes booleans as `true` in `::text`. */
export const isEditable = (column: Column): boolean => !column.generated && column.identity !== 'always';

export const hasDefault = (column: Column): boolean => column.default !== null || column.identity !== null;

export function sameChange(change: CellChange, value: Cell): boolean {
  return 'value' in change && change.value === value;
}

const numberTypes = /^(smallint|integer|bigint|numeric|real|double precision|money|oid)/;

export const isNumber = (column: Column): boolean => numberTypes.test(column.type);
export const isMono = (column: Column): boolean =>
  /^(uuid|json|jsonb|bytea|inet|cidr|macaddr)/.test(column.type);

const neverEmpty = /^(boolean|uuid|jsonb?|date|time|interval|inet|cidr|macaddr|xml)/;

/** Whether the type has an empty text. Numbers and dates don't. */
export const mayBeEmpty = (column: Column): boolean =>
  column.enum_values === null && !numberTypes.test(column.type) && !neverEmpty.test(column.type);

/** Converts a field's text: an empty field is NULL if the type has no empty text. */
export const typedChange = (column: Column, text: string): CellChange => ({
  value: text === '' && column.nullable && !mayBeEmpty(column) ? null : text,
});

export function widthOf(column: Column): number {
  const title = 56 + (column.name.length + Math.min(shortType(column.type).length, 14)) * 7.2;
  return Math.min(320, Math.max(title, contentWidth(column)));
}

function contentWidth({ type }: Column): number {
  if (type === 'boolean') return 90;
  if (numberTypes.test(type)) return 110;
  if (type === 'uuid') return 300;
  if (type.startsWith('timestamp')) return 230;
  if (type === 'date') return 120;
  return 230;
}

const shortTypes: readonly (readonly [RegExp, string])[] = [
  [/^timestamp(\(\d\))? with time zone$/, 'timestamptz'],
  [/^timestamp(\(\d\))? without time zone$/, 'timestamp'],
  [/^time(\(\d\))? with time zone$/, 'timetz'],
  [/^time(\(\d\))? without time zone$/, 'time'],
  [/^character varying/, 'varchar'],
  [/^double precision$/, 'float8'],
  [/^bigint$/, 'int8'],
  [/^integer$/, 'int4'],
  [/^smallint$/, 'int2'],
  [/^boolean$/, 'bool'],
];

export function shortType(type: string): string {
  for (const [pattern, short] of shortTypes) if (pattern.test(type)) return type.replace(pattern, short);
  return type;
}

function keyIn(relation: Relation, cells: readonly Cell[], cut: readonly number[]): RowKey | undefined {
  if (relation.key.kind !== 'columns') return undefined;
  const key: Record<string, string> = {};
  for (const name of relation.key.columns) {
    const index = relation.columns.findIndex((column) => column.name === name);
    const value = cells[index];
    if (value === null || value === undefined || cut.includes(index)) return undefined;
    key[name] = value;
  }
  return key;
}

export const keyText = (key: RowKey): string => JSON.stringify(Object.entries(key).sort());
