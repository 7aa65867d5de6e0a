/** Returns the initial values of the form for a new row. */
import type { Column, RowValues } from '../../../api/types.ts';
import { hasDefault, valueIn } from '../cells.ts';
import { type Draft, missing } from '../fields/check.ts';

/**
 * Returns a column's initial value, which is its default. If the column doesn't have a default, the value is NULL if
 * the column is nullable, and otherwise missing.
 */
export function newDraft(column: Column): Draft {
  if (hasDefault(column) || column.generated) return { default: true };
  return column.nullable ? { value: null } : missing;
}

/** Returns a column's value in a copy of a row. The copy has the same values, except for the primary key. */
export function copiedDraft(column: Column, values: RowValues): Draft {
  if (column.primary_key || column.generated || column.identity !== null)
    return hasDefault(column) || column.generated ? { default: true } : missing;
  return { value: valueIn(values, column.name) };
}
