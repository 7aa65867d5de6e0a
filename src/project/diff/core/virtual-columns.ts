/**
 * Handles virtual generated columns (PostgreSQL 18), which pg-delta doesn't distinguish from stored generated columns.
 */
import type { Action } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { Snapshot, VirtualColumn } from '../types.ts';

/**
 * Changes the action so that it creates the new schema's virtual columns as virtual columns instead of stored columns.
 */
export function withVirtualColumns(action: Action, { virtualColumns }: Snapshot): Action {
  const columns = virtualColumns.filter(({ schema, relation, column }) =>
    action.produces.some(
      (id) => id.kind === 'column' && id.schema === schema && id.table === relation && id.name === column,
    ),
  );
  return columns.length === 0 ? action : { ...action, sql: columns.reduce(makeVirtual, action.sql) };
}

function makeVirtual(text: string, { column, expression }: VirtualColumn): string {
  const start = text.indexOf(`${quoteIdentifier(column)} `);
  const stored = `GENERATED ALWAYS AS (${expression}) STORED`;
  const at = text.indexOf(stored, start);
  if (start === -1 || at === -1) return text;
  return `${text.slice(0, at)}GENERATED ALWAYS AS (${expression}) VIRTUAL${text.slice(at + stored.length)}`;
}
