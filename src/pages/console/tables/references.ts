/**
 * Searches the rows that a foreign key can reference. Compares the search text with the key and with a column that
 * describes the row.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Transaction } from '../../../platform/database/types.ts';
import type { ReferenceChoices, Relation } from './contract.ts';
import { where } from './core/filters.ts';
import { table } from './read.ts';

const maxChoices = 20;
const maxLabelChars = 200;

/** The names of columns that usually describe a row, with the most descriptive name first. */
const labelNames = [
  'name',
  'full_name',
  'display_name',
  'title',
  'label',
  'username',
  'email',
  'slug',
  'subject',
  'code',
];

export interface ReferenceSearch {
  readonly search: string;
  /** Whether to return only the row whose key is equal to the text. */
  readonly exact: boolean;
}

const isText = (type: string): boolean => /^(text|character varying|character|citext|name)\b/.test(type);

/** Returns the name of the column that best describes a row, or undefined if the table has no text column. */
export function labelOf(relation: Pick<Relation, 'columns'>, keyColumn: string): string | undefined {
  const texts = relation.columns.filter(({ name, type }) => name !== keyColumn && isText(type));
  const named = labelNames.find((each) => texts.some(({ name }) => name === each));
  return named ?? texts[0]?.name;
}

/**
 * Returns rows whose key or label contains the text, in the order of the keys. If there is a row whose key is equal to
 * the text, it comes first.
 */
export async function findReferences(
  tx: Transaction,
  target: Relation,
  keyColumn: string,
  search: ReferenceSearch,
): Promise<ReferenceChoices> {
  const label = labelOf(target, keyColumn);
  try {
    return await tx.savepoint((inner) => find(inner, target, { keyColumn, labelColumn: label }, search));
  } catch (error) {
    // The persona may be allowed to read only the key column.
    if (label === undefined || !hasCode(error, '42501')) throw error;
    return find(tx, target, { keyColumn, labelColumn: undefined }, search);
  }
}

async function find(
  tx: Transaction,
  target: Relation,
  { keyColumn, labelColumn }: { readonly keyColumn: string; readonly labelColumn: string | undefined },
  { search, exact: isExact }: ReferenceSearch,
): Promise<ReferenceChoices> {
  // The column name is qualified. Otherwise, ORDER BY would sort by the output column that has the same name.
  const key = sql.id('target', keyColumn);
  const label = labelColumn === undefined ? sql`null::text` : sql`${sql.id('target', labelColumn)}::text`;
  const read = async (db: Transaction, condition: Sql | undefined): Promise<ReferenceChoices['choices']> => {
    const { rows } = await db.queryText(sql`
      select ${key}::text, left(${label}, ${maxLabelChars}::int) from ${table(target)} as target
      ${where(condition)} order by ${key} limit ${maxChoices + 1}::int`);
    return rows.map(([value, text]) => ({ value: value ?? '', label: text ?? null }));
  };
  const exact = search === '' ? [] : await readExact(tx, (db) => read(db, sql`${key} = ${search}`));
  if (isExact) return { choices: exact.slice(0, 1), more: false };
  const matching = await read(
    tx,
    search === ''
      ? undefined
      : sql`(strpos(lower(${label}), lower(${search}::text)) > 0 or starts_with(${key}::text, ${search}::text))`,
  );
  const known = new Set(exact.map(({ value }) => value));
  const choices = [...exact, ...matching.filter(({ value }) => !known.has(value))];
  return { choices: choices.slice(0, maxChoices), more: choices.length > maxChoices };
}

/**
 * Finds the row with this key. The text may not be a valid key, for example if it contains letters but the key is a
 * number.
 */
async function readExact(
  tx: Transaction,
  read: (db: Transaction) => Promise<ReferenceChoices['choices']>,
): Promise<ReferenceChoices['choices']> {
  try {
    return await tx.savepoint(read);
  } catch (error) {
    if (!hasCode(error, '22')) throw error;
    return [];
  }
}

/**
 * Whether the error is a PostgreSQL error whose SQLSTATE begins with this code. Class 22 contains the errors about
 * invalid values.
 */
const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith(code);
