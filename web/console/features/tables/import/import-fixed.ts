/** Handles the table's columns for which the file has no values. */
import type { Column } from '../../../api/types.ts';

/** The values that the operator has set for all rows, by column. Null stands for NULL. */
export type Fixed = Readonly<Record<string, string | null>>;

export interface OtherColumn {
  readonly column: Column;
  /** Whether a row without a value is invalid. */
  readonly isRequired: boolean;
}

export const otherColumns = (columns: readonly Column[], mapped: readonly string[]): OtherColumn[] =>
  columns
    .filter(({ name, generated }) => !generated && !mapped.includes(name))
    .map((column) => ({
      column,
      isRequired: !column.nullable && column.default === null && column.identity === null,
    }));
