/**
 * Determines the columns of the grid, their order and widths, and which columns are pinned. This module doesn't depend
 * on React.
 */
import type { Column } from '../../../api/types.ts';
import { isNumber, widthOf } from '../cells.ts';

export type Density = 'comfortable' | 'compact';

/**
 * An operator's choices for a table. If the operator hasn't chosen anything, a column has its default position and
 * width.
 */
export interface ColumnLayout {
  /** The names of columns. Columns that aren't listed, such as new columns, follow in the table's order. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Undefined means that the first column is pinned. */
  readonly pinned: readonly string[] | undefined;
  readonly widths: readonly (readonly [name: string, width: number])[];
  readonly density: Density;
}

export const defaultLayout: ColumnLayout = {
  order: [],
  hidden: [],
  pinned: undefined,
  widths: [],
  density: 'comfortable',
};

export interface GridColumn extends Column {
  /** The index of the column's cell in a row. */
  readonly at: number;
  readonly width: number;
  /** Whether the column stays at the left edge if there is enough room. */
  readonly isPinned: boolean;
  /** Whether the column becomes wider to fill the grid. */
  readonly isElastic: boolean;
}

export const minWidth = 48;
export const maxWidth = 1200;

export const clampWidth = (width: number): number =>
  Math.round(Math.max(minWidth, Math.min(maxWidth, width)));

/** Returns the names of all columns in the order in which the operator arranged them. */
export function orderedNames(columns: readonly Column[], { order }: ColumnLayout): readonly string[] {
  const names = columns.map(({ name }) => name);
  const known = order.filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name))];
}

/** Returns the visible columns. The pinned columns come first. */
export function gridColumns(columns: readonly Column[], layout: ColumnLayout): readonly GridColumn[] {
  const widths = new Map(layout.widths);
  const places = new Map(orderedNames(columns, layout).map((name, place) => [name, place]));
  const all = columns
    .map((column, at) => ({ column, at, place: places.get(column.name) ?? at }))
    .sort((left, right) => left.place - right.place);
  const shown = all.filter(({ column }) => !layout.hidden.includes(column.name));
  const visible = shown.length > 0 ? shown : all.slice(0, 1);
  const pinned = layout.pinned ?? [visible[0]?.column.name];
  const arranged = visible.map(({ column, at }): GridColumn => {
    const chosen = widths.get(column.name);
    return {
      ...column,
      at,
      width: chosen ?? Math.round(widthOf(column)),
      isPinned: pinned.includes(column.name),
      isElastic: chosen === undefined && !isNumber(column) && elastic.test(column.type),
    };
  });
  return [...arranged.filter(({ isPinned }) => isPinned), ...arranged.filter(({ isPinned }) => !isPinned)];
}

/** Matches types whose values don't have a typical length. */
const elastic = /^(text|character|citext|json|xml|bytea|tsvector)|\[\]$/;
const maxElasticWidth = 640;

/** Returns the widths of the columns. Elastic columns share the remaining room in the grid. */
export function filledWidths(columns: readonly GridColumn[], room: number): readonly number[] {
  const widths = columns.map(({ width }) => width);
  let left = room - widths.reduce((sum, width) => sum + width, 0);
  const growing = columns.flatMap(({ isElastic, width }, index) => (isElastic ? [{ index, width }] : []));
  // The widest column reaches its limit first, so the columns grow in descending order of width. The remaining columns
  // share the room that is left.
  growing.sort((one, other) => other.width - one.width);
  for (const [done, { index, width }] of growing.entries()) {
    if (left <= 0) break;
    const more = Math.min(Math.floor(left / (growing.length - done)), Math.max(0, maxElasticWidth - width));
    widths[index] = width + more;
    left -= more;
  }
  return widths;
}

/** The maximum fraction of the grid's width that pinned columns can take up. The other columns must remain readable. */
const pinnedShare = 0.45;

/** Returns the number of leading columns that stay at the left edge. */
export function pinnedCount(columns: readonly GridColumn[], widths: readonly number[], room: number): number {
  let taken = 0;
  let count = 0;
  for (const [index, { isPinned }] of columns.entries()) {
    taken += widths[index] ?? 0;
    if (!isPinned || taken > room * pinnedShare) break;
    count++;
  }
  return count;
}

const without = (names: readonly string[], name: string): readonly string[] =>
  names.filter((each) => each !== name);

export const withWidth = (layout: ColumnLayout, name: string, width: number | undefined): ColumnLayout => ({
  ...layout,
  widths: [
    ...layout.widths.filter(([each]) => each !== name),
    ...(width === undefined ? [] : [[name, clampWidth(width)] as const]),
  ],
});

export const withHidden = (layout: ColumnLayout, name: string, isHidden: boolean): ColumnLayout => ({
  ...layout,
  hidden: isHidden ? [...without(layout.hidden, name), name] : without(layout.hidden, name),
});

export function withPinned(
  layout: ColumnLayout,
  columns: readonly GridColumn[],
  name: string,
  isPinned: boolean,
): ColumnLayout {
  const pinned = layout.pinned ?? columns.flatMap((column) => (column.isPinned ? [column.name] : []));
  return { ...layout, pinned: isPinned ? [...without(pinned, name), name] : without(pinned, name) };
}

/** Returns the layout with a column moved to another column's position. */
export function withMoved(
  layout: ColumnLayout,
  columns: readonly Column[],
  name: string,
  target: string,
): ColumnLayout {
  const names = orderedNames(columns, layout);
  const isAfter = names.indexOf(name) < names.indexOf(target);
  const rest = without(names, name);
  const place = rest.indexOf(target) + (isAfter ? 1 : 0);
  return { ...layout, order: [...rest.slice(0, place), name, ...rest.slice(place)] };
}

/** Reads a stored layout. Ignores invalid parts, because a different version of Plinth may have stored the layout. */
export function readLayout(text: string | null): ColumnLayout {
  try {
    const stored = JSON.parse(text ?? '{}') as Record<string, unknown>;
    const names = (value: unknown): readonly string[] =>
      Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
    return {
      order: names(stored.order),
      hidden: names(stored.hidden),
      pinned: Array.isArray(stored.pinned) ? names(stored.pinned) : undefined,
      widths: (Array.isArray(stored.widths) ? stored.widths : []).filter(isWidth),
      density: stored.density === 'compact' ? 'compact' : 'comfortable',
    };
  } catch {
    return defaultLayout;
  }
}

const isWidth = (value: unknown): value is readonly [string, number] =>
  Array.isArray(value) &&
  typeof value[0] === 'string' &&
  typeof value[1] === 'number' &&
  value[1] >= minWidth &&
  value[1] <= maxWidth;
