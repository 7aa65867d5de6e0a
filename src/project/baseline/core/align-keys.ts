/**
 * Adjusts column types so that the baseline's foreign keys are valid. The columns on both sides of a foreign key must
 * have the same type.
 */
import type { Draft, TableDraft } from './draft.ts';
import { referencesOf, typeOf } from './print.ts';
import { canonicalType } from './type-names.ts';

/**
 * Sets the type of a referenced column to the type that a statement needs for the referencing column. If statements
 * need different types for the two columns, excludes the foreign key. Each step sets one type or excludes one foreign
 * key, so the loop ends.
 */
export function alignKeys(draft: Draft): void {
  while ([...draft.tables.values()].some((table) => alignOne(draft, table)));
}

/** Returns whether this step changed the draft. */
function alignOne(draft: Draft, table: TableDraft): boolean {
  for (const { name, columns, referencedRelation, referencedColumns } of referencesOf(draft, table)) {
    const target = draft.tables.get(`${table.schema}.${referencedRelation}`);
    for (const [index, column] of columns.entries()) {
      const [source, referenced] = [
        typeIn(draft, table, column),
        typeIn(draft, target, referencedColumns[index]),
      ];
      if (source === undefined || referenced === undefined || isComparable(source, referenced)) continue;
      const key = `${table.schema}.${referencedRelation}.${referencedColumns[index]}`;
      if (draft.types.has(key)) draft.excluded.add(`${table.schema}.${table.name} constraint ${name}`);
      else draft.types.set(key, source);
      return true;
    }
  }
  return false;
}

function typeIn(draft: Draft, table: TableDraft | undefined, name: string | undefined): string | undefined {
  const column = table?.columns.find((one) => one.name === name);
  return table === undefined || column === undefined ? undefined : typeOf(draft, table, column).type;
}

/** Whether columns of these two types can be linked by a foreign key. */
const isComparable = (a: string, b: string): boolean => kindOf(a) === kindOf(b);

function kindOf(type: string): string {
  const name = canonicalType(type);
  if (/^(smallint|integer|bigint|numeric)$/.test(name)) return 'number';
  return /^(text|character varying|character)$/.test(name) ? 'text' : name;
}
