/**
 * Corrects the baseline's columns whose guessed type contradicts a statement. The error message names the required
 * type.
 */

import { mentions, type Observation } from '../../folder/index.ts';
import type { ColumnModel } from '../../types-file/index.ts';
import type { Draft, Remedy, TableDraft } from './draft.ts';
import { typeOf } from './print.ts';
import { tablesAround } from './scope.ts';
import {
  columnOfValue,
  comparedColumns,
  insertedTable,
  referencedTables,
  selectedColumn,
  type TableName,
} from './statement.ts';
import { canonicalType } from './type-names.ts';

/** If a statement compares a column with a value of a different type, changes the column to the value's type. */
export function typesDiffer(
  draft: Draft,
  { left, right }: { readonly left: string; readonly right: string },
  statement: string,
  position: number | undefined,
): Remedy | undefined {
  for (const { name, isLeft } of comparedColumns(statement, position)) {
    const [own, other] = isLeft ? [left, right] : [right, left];
    for (const table of draft.tables.values()) {
      if (!mentions(statement, table.name)) continue;
      const column = table.columns.find((one) => one.name === name);
      if (column === undefined || !isType(draft, table, column, own)) continue;
      const learned = teach(draft, table, name, other);
      if (learned !== undefined) return learned;
    }
  }
  return undefined;
}

/**
 * Sets both columns of a foreign key to the same type. Prefers `uuid` to `text`, because `text` is only a guess for the
 * IDs of other services.
 */
export function keysDiffer(
  draft: Draft,
  { column, referenced, types: [type, referencedType] }: Extract<Observation, { kind: 'keys differ' }>,
  statement: string,
): Remedy | undefined {
  const having = (tables: readonly TableName[], name: string, own: string) =>
    tables
      .flatMap((table) => draft.findTable(table.name, table.schema) ?? [])
      .find((table) => table.columns.some((one) => one.name === name && isType(draft, table, one, own)));
  const target = having(referencedTables(statement), referenced, referencedType);
  const source = having(tablesAround(statement, 1).flat().slice(0, 1), column, type);
  const teachTarget = () => (target === undefined ? undefined : teach(draft, target, referenced, type));
  const teachSource = () => (source === undefined ? undefined : teach(draft, source, column, referencedType));
  return type === 'text' && referencedType === 'uuid'
    ? (teachSource() ?? teachTarget())
    : (teachTarget() ?? teachSource());
}

/** Changes the type of a column to the type that an SQL function declares for its result. */
export function resultDiffers(
  draft: Draft,
  { returned, declared, column }: Extract<Observation, { kind: 'result differs' }>,
  statement: string,
): Remedy | undefined {
  const selected = selectedColumn(statement, column);
  if (selected === undefined) return undefined;
  for (const table of draft.tables.values()) {
    if (!mentions(selected.query, table.name)) continue;
    const found = table.columns.find(({ name }) => name === selected.name);
    if (found === undefined || !isType(draft, table, found, returned)) continue;
    const learned = teach(draft, table, selected.name, declared);
    if (learned !== undefined) return learned;
  }
  return undefined;
}

/** Whether the column has the type that PostgreSQL's message contains. */
const isType = (draft: Draft, table: TableDraft, column: ColumnModel, shown: string): boolean =>
  canonicalType(typeOf(draft, table, column).type) === canonicalType(shown);

/**
 * Sets a column's type, but only once. If two statements require different types, one of them fails regardless of the
 * type.
 */
export function teach(draft: Draft, table: TableDraft, column: string, type: string): Remedy | undefined {
  const key = `${table.schema}.${table.name}.${column}`;
  if (draft.types.has(key) || ['unknown', 'void', 'record', 'trigger'].includes(type)) return undefined;
  draft.types.set(key, type === 'character varying' ? 'text' : type);
  return { kind: 'restart' };
}

/** Sets the type of a column into which the statement inserts a value. */
export function teachInserted(
  draft: Draft,
  statement: string,
  column: string,
  type: string,
): Remedy | undefined {
  const table = draft.findTable(insertedTable(statement) ?? '');
  const isThere = table?.columns.some(({ name }) => name === column) === true;
  return table === undefined || !isThere ? undefined : teach(draft, table, column, type);
}

/** Changes a column to text if the statement inserts a value that isn't valid for its guessed type. */
export function valueInWrongForm(
  draft: Draft,
  { type, value }: { readonly type: string; readonly value: string },
  statement: string,
): Remedy | undefined {
  if (type === 'json') return undefined;
  const column = columnOfValue(statement, value);
  return column === undefined ? undefined : teachInserted(draft, statement, column, 'text');
}
