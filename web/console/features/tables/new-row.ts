/** The values with which the form of a new row begins. */
import type { Column, RowValues } from '../../api/types.ts';
import { hasDefault, valueIn } from './cells.ts';
import { type Draft, missing } from './fields/check.ts';

/** A column begins with its default. Without one, it isn't given, which is NULL if the column is nullable. */
export function newDraft(column: Column): Draft {
  if (hasDefault(column) || column.generated) return { default: true };
  return column.nullable ? { value: null } : missing;
}

/** A copy of a row has the same values, except for the primary key, which must be different. */
export function copiedDraft(column: Column, values: RowValues): Draft {
  if (column.primary_key || column.generated || column.identity !== null)
    return hasDefault(column) || column.generated ? { default: true } : missing;
  return { value: valueIn(values, column.name) };
}
