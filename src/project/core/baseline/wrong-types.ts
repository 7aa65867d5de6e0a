/** Columns of the baseline whose guessed type contradicts a statement. The statement's error names the type that it needs. */
import type { Draft, TableDraft } from './draft.ts';
import type { Observation } from './observe.ts';
import { typeOf } from './print.ts';
import type { Remedy } from './remedy.ts';
import { columnOfValue, comparedColumns, insertedTable, mentions, selectedColumn } from './statement.ts';

/** Takes the type of the other operand for a column that a statement compares with another type. */
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
      if (column === undefined || typeOf(draft, table, column).type !== own) continue;
      const taught = teach(draft, table, name, other);
      if (taught !== undefined) return taught;
    }
  }
  return undefined;
}

/** Gives both columns of a foreign key the same type. */
export function keysDiffer(
  draft: Draft,
  { column, referenced, types: [type, referencedType] }: Extract<Observation, { kind: 'keys differ' }>,
  statement: string,
): Remedy | undefined {
  const holds = (table: TableDraft, name: string, own: string) => {
    const found = table.columns.find((one) => one.name === name);
    return found !== undefined && mentions(statement, table.name) && typeOf(draft, table, found).type === own;
  };
  const tables = [...draft.tables.values()];
  const target = tables.find((table) => holds(table, referenced, referencedType));
  const source = tables.find((table) => holds(table, column, type));
  return (
    (target === undefined ? undefined : teach(draft, target, referenced, type)) ??
    (source === undefined ? undefined : teach(draft, source, column, referencedType))
  );
}

/** Gives a column the type that an SQL function declares for it in its result. */
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
    if (found === undefined || typeOf(draft, table, found).type !== returned) continue;
    const taught = teach(draft, table, selected.name, declared);
    if (taught !== undefined) return taught;
  }
  return undefined;
}

/** Sets the column's type, once per column, because two statements that need different types can't both succeed. */
function teach(draft: Draft, table: TableDraft, column: string, type: string): Remedy | undefined {
  const key = `${table.schema}.${table.name}.${column}`;
  if (draft.types.has(key) || ['unknown', 'void', 'record', 'trigger'].includes(type)) return undefined;
  draft.types.set(key, type === 'character varying' ? 'text' : type);
  return { kind: 'restart' };
}

/** Sets the type of a column that the statement inserts into. */
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

/** Turns a column into text if the statement inserts a value that its guessed type can't read. */
export function valueInWrongForm(
  draft: Draft,
  { type, value }: { readonly type: string; readonly value: string },
  statement: string,
): Remedy | undefined {
  if (type === 'json') return undefined;
  const column = columnOfValue(statement, value);
  return column === undefined ? undefined : teachInserted(draft, statement, column, 'text');
}
