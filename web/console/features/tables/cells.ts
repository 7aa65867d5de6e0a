/** Determines what a cell shows, whether it can be edited, and how wide it is. This module doesn't depend on React. */
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

/** The number of characters to which the server truncates cells for the grid. */
const cellChars = 400;
/** The number of characters that a cell in the grid shows. The panel shows the complete value. */
const shownChars = 160;

export interface GridRow {
  readonly cells: readonly Cell[];
  /** The indexes of columns that the server truncated. */
  readonly cut: readonly number[];
  /**
   * The row's primary key. Undefined if the row can't be identified, because the row doesn't have a key or the key is
   * truncated.
   */
  readonly key: RowKey | undefined;
}

const rowsOfPages = new WeakMap<
  RowPage,
  { readonly relation: Relation; readonly rows: readonly GridRow[] }
>();

/** Whether the page has the same columns as the relation. The table may have been altered between the two responses. */
export const hasColumnsOf = (relation: Relation, page: RowPage): boolean =>
  page.columns.length === relation.columns.length &&
  relation.columns.every(({ name }, index) => page.columns[index] === name);

/**
 * Arranges the cells of a page by the relation's current columns. The table may have had different columns when the
 * page was read.
 */
function arranged(relation: Relation, page: RowPage): Pick<RowPage, 'rows' | 'cut'> {
  if (hasColumnsOf(relation, page)) return page;
  const indexes = relation.columns.map(({ name }) => page.columns.indexOf(name));
  return {
    rows: page.rows.map((row) => indexes.map((index) => row[index] ?? null)),
    cut: page.cut.flatMap(([row, index]) => {
      const column = indexes.indexOf(index);
      return column < 0 ? [] : [[row, column] as const];
    }),
  };
}

/** Converts a page to rows. Returns the same objects for the same page, so React doesn't render the rows again. */
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

/**
 * Returns the value of a column. A column can be named `constructor` or `__proto__`, and every object inherits
 * properties with these names.
 */
export const valueIn = (values: RowValues, name: string): Cell =>
  Object.hasOwn(values, name) ? (values[name] ?? null) : null;

/** Truncates a row's cells as the server truncates cells for the grid. */
export function cutCells(columns: readonly string[], values: RowValues): Pick<GridRow, 'cells' | 'cut'> {
  const cut: number[] = [];
  const cells = columns.map((name, index) => {
    const value = valueIn(values, name);
    if (value === null || value.length <= cellChars) return value;
    cut.push(index);
    return value.slice(0, cellChars);
  });
  return { cells, cut };
}

/**
 * Returns a copy of the page in which rows are replaced. The rows are identified by the text of their previous key. If
 * the page contains none of these rows, returns the same object.
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
    keys: page.keys?.map((previous, at) => found[at]?.key ?? previous) ?? null,
    cut: [
      ...page.cut.filter(([at]) => cells[at] === undefined),
      ...cells.flatMap((row, at) => row?.cut.map((column) => [at, column] as const) ?? []),
    ],
  };
}

/** Replaces line breaks with a visible symbol, because a cell has a single line. */
export const oneLine = (text: string): string => text.slice(0, shownChars).replaceAll(/\r\n|\r|\n/g, ' ↵ ');

/** The place where a cell is edited: in the cell itself, in a box below the cell, or in the row's panel. */
export type Editor = 'text' | 'choice' | 'popup' | 'panel';

const longTypes = /^(xml|tsvector)$/;
const popupTypes = /^(date|time|jsonb?|bytea)|\[\]$/;

export function editorOf(column: Column, value: Cell, isCut: boolean): Editor {
  if (column.references === null && choicesOf(column).length > 0) return 'choice';
  if (isCut) return 'panel';
  if (column.references !== null || popupTypes.test(column.type)) return 'popup';
  if (value !== null && (/[\r\n]/.test(value) || (longTypes.test(column.type) && value.length > 60)))
    return 'panel';
  return 'text';
}

export const choicesOf = (column: Column): readonly string[] =>
  column.type === 'boolean' ? ['true', 'false'] : (column.enum_values ?? []);

/** Whether typing a letter edits the value instead of replacing it. */
export const isStructured = ({ type }: Column): boolean => /^(jsonb?|bytea)|\[\]$/.test(type);

/** Returns the value that a boolean has after the space bar is pressed. */
export function toggled({ nullable }: Column, value: Cell): Cell {
  if (value === 'true') return 'false';
  return value === 'false' && nullable ? null : 'true';
}

export const isEditable = (column: Column): boolean => !column.generated && column.identity !== 'always';

export const hasDefault = (column: Column): boolean => column.default !== null || column.identity !== null;

export function sameChange(change: CellChange, value: Cell): boolean {
  return 'value' in change && change.value === value;
}

const numberTypes = /^(smallint|integer|bigint|numeric|real|double precision|money|oid)/;

export const isNumber = ({ type }: Column): boolean => numberTypes.test(type) && !type.endsWith('[]');
export const isMono = (column: Column): boolean =>
  /^(uuid|json|jsonb|bytea|inet|cidr|macaddr)/.test(column.type);

const neverEmpty = /^(boolean|uuid|jsonb?|date|time|interval|inet|cidr|macaddr|xml)|\[\]$/;

/** Whether the column's type accepts an empty string. Numbers and dates don't accept an empty string. */
export const mayBeEmpty = (column: Column): boolean =>
  column.enum_values === null && !numberTypes.test(column.type) && !neverEmpty.test(column.type);

/**
 * Converts the text in a field to a change. If the type doesn't accept an empty string, an empty field becomes NULL.
 */
export const typedChange = (column: Column, text: string): CellChange => ({
  value: text === '' && column.nullable && !mayBeEmpty(column) ? null : text,
});

export function widthOf(column: Column): number {
  const title = 56 + (column.name.length + Math.min(shortType(column.type).length, 14)) * 7.2;
  return Math.min(320, Math.max(title, contentWidth(column)));
}

const charWidth = 7.4;

function contentWidth({ type, enum_values }: Column): number {
  if (enum_values !== null) return 32 + Math.max(4, ...enum_values.map((each) => each.length)) * charWidth;
  if (type === 'boolean') return 90;
  if (numberTypes.test(type)) return 110;
  if (type === 'uuid') return 300;
  // The width is sufficient for a time with microseconds and the UTC offset.
  if (type.startsWith('timestamp')) return type.endsWith('with time zone') ? 246 : 226;
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
  const key: [string, string][] = [];
  for (const name of relation.key.columns) {
    const index = relation.columns.findIndex((column) => column.name === name);
    const value = cells[index];
    if (value === null || value === undefined || cut.includes(index)) return undefined;
    key.push([name, value]);
  }
  return Object.fromEntries(key);
}

export const keyText = (key: RowKey): string => JSON.stringify(Object.entries(key).sort());
