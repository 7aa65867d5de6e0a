/**
 * Validates the grid's search parameters: filters, the sort order and the open row. An invalid link opens the table
 * without these parameters instead of causing an error.
 */
import { type Filter, filterOperators, type RowKey, type Sort } from '../../../api/types.ts';
import { validateAs } from '../../../components/persona/persona.ts';

export interface TableSearch {
  readonly filters?: readonly Filter[];
  readonly sort?: readonly Sort[];
  /** The primary key of the row in the panel. */
  readonly row?: RowKey;
  /** The column to which the panel scrolls first. */
  readonly column?: string;
  readonly insert?: true;
  readonly import?: true;
  /** The persona whose rows are shown. */
  readonly as?: string;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function filterOf(value: unknown): Filter | undefined {
  if (!isFields(value) || typeof value.column !== 'string') return undefined;
  const operator = filterOperators.find((each) => each === value.operator);
  if (operator === undefined) return undefined;
  const text = typeof value.value === 'string' || typeof value.value === 'number' ? String(value.value) : '';
  return { column: value.column, operator, value: text };
}

function sortOf(value: unknown): Sort | undefined {
  if (!isFields(value) || typeof value.column !== 'string') return undefined;
  return { column: value.column, ascending: value.ascending !== false };
}

function keyOf(value: unknown): RowKey | undefined {
  if (!isFields(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string | number] =>
    ['string', 'number'].includes(typeof entry[1]),
  );
  return entries.length === 0
    ? undefined
    : Object.fromEntries(entries.map(([name, each]) => [name, String(each)]));
}

function listOf<Item>(
  value: unknown,
  read: (item: unknown) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map(read).filter((item) => item !== undefined);
  return items.length === 0 ? undefined : items;
}

export function validateTableSearch(search: Fields): TableSearch {
  const filters = listOf(search.filters, filterOf)?.slice(0, 20);
  const sort = listOf(search.sort, sortOf)?.slice(0, 10);
  const row = keyOf(search.row);
  return {
    ...(filters === undefined ? {} : { filters }),
    ...(sort === undefined ? {} : { sort }),
    ...(row === undefined ? {} : { row }),
    ...(typeof search.column === 'string' && search.column !== '' ? { column: search.column } : {}),
    ...(search.insert === true ? { insert: true as const } : {}),
    ...(search.import === true ? { import: true as const } : {}),
    ...validateAs(search),
  };
}

/**
 * Returns the next sort order for a column. The order changes from ascending to descending and then to none
 * (undefined).
 */
export function toggledSort(sort: readonly Sort[], column: string): readonly Sort[] | undefined {
  const previous = sort.find((each) => each.column === column);
  if (previous === undefined) return [{ column, ascending: true }];
  return previous.ascending ? [{ column, ascending: false }] : undefined;
}
