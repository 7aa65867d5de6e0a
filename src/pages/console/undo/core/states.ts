/** Compares a journaled row with the current one. */
import type { RowState } from '../contract.ts';

export type Values = readonly (string | null)[];

export interface Images {
  readonly before: Values | null;
  readonly after: Values | null;
}

const equal = (one: Values | null, other: Values | null): boolean =>
  one === other ||
  (one !== null &&
    other !== null &&
    one.length === other.length &&
    one.every((value, index) => value === other[index]));

/** @param now the current row with the journaled row's key. Null if there is none */
export function stateOf({ before, after }: Images, now: Values | null): RowState {
  if (equal(now, after)) return 'ready';
  if (equal(now, before)) return 'done';
  if (now === null) return 'missing';
  return after === null ? 'exists' : 'changed';
}

/** Whether a row can be taken back only if the operator confirms it. */
export const isConflict = (state: RowState): boolean => state !== 'ready' && state !== 'done';

/**
 * Pairs old and new row versions by the values at the key's positions. Versions without a counterpart were deleted or
 * inserted. Without a key, nothing is paired.
 */
export function paired(olds: readonly Values[], news: readonly Values[], key: readonly number[]): Images[] {
  const keyOf = (values: Values): string => JSON.stringify(key.map((index) => values[index]));
  const byKey = new Map(key.length === 0 ? [] : news.map((after) => [keyOf(after), after]));
  const images: Images[] = olds.map((before) => {
    const text = keyOf(before);
    const after = byKey.get(text) ?? null;
    byKey.delete(text);
    return { before, after };
  });
  const rest = key.length === 0 ? news : [...byKey.values()];
  return [...images, ...rest.map((after) => ({ before: null, after }))].filter(
    ({ before, after }) => !equal(before, after),
  );
}

/**
 * Orders tables so that each referenced table precedes the tables that reference it. Tables in a cycle keep their order.
 *
 * @param references pairs of a referencing and a referenced table
 */
export function parentsFirst(
  tables: readonly number[],
  references: readonly (readonly [from: number, to: number])[],
): number[] {
  const ordered: number[] = [];
  const seen = new Set<number>();
  const visit = (table: number): void => {
    if (seen.has(table)) return;
    seen.add(table);
    for (const [from, to] of references) if (from === table && tables.includes(to)) visit(to);
    ordered.push(table);
  };
  for (const table of tables) visit(table);
  return ordered;
}
