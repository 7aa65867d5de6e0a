/** Determines which changes delete data, and which name the operator must type to confirm these changes. */
import type { SchemaChange, TypeRef } from '../changes.ts';

export type Loss =
  | { readonly kind: 'rows'; readonly schema: string; readonly table: string; readonly cascade: boolean }
  | {
      readonly kind: 'values';
      readonly schema: string;
      readonly table: string;
      readonly column: string;
      readonly cascade: boolean;
    }
  | {
      readonly kind: 'converted';
      readonly schema: string;
      readonly table: string;
      readonly column: string;
      readonly to: TypeRef;
      readonly using: string | undefined;
    }
  | { readonly kind: 'nulls'; readonly schema: string; readonly table: string; readonly column: string }
  | { readonly kind: 'unprotected'; readonly schema: string; readonly table: string }
  | { readonly kind: 'type'; readonly schema: string; readonly name: string };

/** Returns the data that might be deleted or exposed by a change, without counting rows. */
export function lossesOf(change: SchemaChange): Loss[] {
  switch (change.kind) {
    case 'drop_table':
      return [{ kind: 'rows', schema: change.schema, table: change.table, cascade: change.cascade }];
    case 'drop_column': {
      const { schema, table, column, cascade } = change;
      return [{ kind: 'values', schema, table, column, cascade }];
    }
    case 'alter_column': {
      const { schema, table, column, type, nullable } = change;
      const losses: Loss[] = [];
      if (type !== undefined)
        losses.push({ kind: 'converted', schema, table, column, to: type.to, using: type.using });
      if (nullable === false) losses.push({ kind: 'nulls', schema, table, column });
      return losses;
    }
    case 'set_rls':
      return change.enabled ? [] : [{ kind: 'unprotected', schema: change.schema, table: change.table }];
    case 'drop_enum':
      return [{ kind: 'type', schema: change.schema, name: change.name }];
    default:
      return [];
  }
}

/**
 * Returns the name that the operator must type, which is the name of the largest object that would be permanently
 * deleted. Returns undefined if nothing would be deleted.
 */
export function nameToConfirm(changes: readonly SchemaChange[]): string | undefined {
  const table = changes.find((change) => change.kind === 'drop_table');
  if (table !== undefined) return table.table;
  const column = changes.find((change) => change.kind === 'drop_column');
  if (column !== undefined) return column.column;
  return changes.find((change) => change.kind === 'drop_enum')?.name;
}
