/**
 * Writes the changes made in the row grid: edited cells (after checking for conflicts), new rows, bulk changes, and
 * deletions.
 */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Queryable, Transaction } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { CellChange, EditedRow, Filter, Relation, RowKey, Values } from './contract.ts';
import { columnOf, identifying, isRow, keyFrom, keyTexts, matching, where } from './core/filters.ts';
import { readRow, table } from './read.ts';

export interface RowEdit {
  readonly key: RowKey;
  readonly changes: Readonly<Record<string, CellChange>>;
  /** The values that the operator saw before editing. If any of these values have changed, the edit fails. */
  readonly seen?: Values | undefined;
}

/**
 * Applies either all edits or none.
 * @throws {ConsoleError} no_primary_key, conflict (with the current row), not_changed, gone. `index` identifies the
 * edit that failed.
 */
export async function editRows(
  tx: Transaction,
  relation: Relation,
  edits: readonly RowEdit[],
): Promise<EditedRow[]> {
  const rows: EditedRow[] = [];
  for (const [index, edit] of edits.entries()) {
    try {
      rows.push(await editRow(tx, relation, edit));
    } catch (error) {
      if (edits.length === 1 || !(error instanceof Error)) throw error;
      throw atIndex(error, index);
    }
  }
  return rows;
}

/** Adds the index of the failed edit to the error. */
function atIndex(error: Error, index: number): Error {
  if (error instanceof ConsoleError)
    return new ConsoleError(error.code, { ...error.fields, index }, { cause: error });
  return Object.assign(error, { index });
}

async function editRow(tx: Transaction, relation: Relation, edit: RowEdit): Promise<EditedRow> {
  const { key, changes, seen = {} } = edit;
  const names = Object.keys(changes);
  if (names.length === 0) throw new ConsoleError('bad_request', { message: 'Nothing was changed.' });
  const assignments = names.map((name) => sql`${columnOf(relation, name)} = ${newValue(changes[name])}`);
  const compared = [...new Set([...names, ...Object.keys(seen)])];
  const { rows: found } = await tx.queryText(sql`
    select ${sql.join(compared.map((name) => sql`${columnOf(relation, name)}::text`))} from ${table(relation)}
    where ${isRow(relation, key)} for update`);
  const [locked] = found;
  if (locked === undefined) {
    // Policies can allow a role to read a row but not to change it.
    const shown = await readRow(tx, relation, key);
    throw new ConsoleError(shown === undefined ? 'gone' : 'not_changed');
  }
  const previous = Object.fromEntries(compared.map((name, index) => [name, locked[index] ?? null]));
  if (Object.entries(seen).some(([name, value]) => previous[name] !== value))
    throw new ConsoleError('conflict', { current: (await readRow(tx, relation, key)) ?? previous });
  const { rows: changed } = await tx.queryText(sql`
    update ${table(relation)} set ${sql.join(assignments)} where ${isRow(relation, key)}
    returning ${keyTexts(relation)}`);
  if (changed[0] === undefined) throw new ConsoleError('not_changed');
  // The row is read again, because AFTER triggers may have changed it.
  const moved = keyFrom(relation, changed[0]);
  const row = await readRow(tx, relation, moved);
  if (row === undefined) throw new ConsoleError('gone');
  return { key: moved, before: Object.fromEntries(names.map((name) => [name, previous[name] ?? null])), row };
}

/** Inserts a row and returns it as stored in the database. @throws {ConsoleError} not_changed */
export async function insertRow(
  tx: Queryable,
  relation: Relation,
  values: Readonly<Record<string, CellChange>>,
): Promise<Record<string, string | null>> {
  const names = Object.keys(values);
  const all = relation.columns.map(({ name }) => name);
  const columns =
    names.length > 0
      ? sql`(${sql.join(names.map((name) => columnOf(relation, name)))}) values (${sql.join(names.map((name) => newValue(values[name])))})`
      : sql`default values`;
  const { rows } = await tx.queryText(sql`
    insert into ${table(relation)} ${columns} returning ${sql.join(all.map((name) => sql`${sql.id(name)}::text`))}`);
  const [row] = rows;
  if (row === undefined) throw new ConsoleError('not_changed');
  return Object.fromEntries(all.map((name, index) => [name, row[index] ?? null]));
}

/** The rows to which a bulk change applies. */
export type Scope = { readonly keys: readonly RowKey[] } | { readonly filters: readonly Filter[] };

/** Deletes either all rows in the scope or none. Returns the number of deleted rows. */
export async function deleteRows(tx: Queryable, relation: Relation, scope: Scope): Promise<number> {
  const { commandTag } = await tx.queryText(sql`delete from ${table(relation)} ${scoped(relation, scope)}`);
  return rowsIn(commandTag);
}

/** Makes the same change to every row in the scope. Returns the number of changed rows. */
export async function changeRows(
  tx: Queryable,
  relation: Relation,
  scope: Scope,
  changes: Readonly<Record<string, CellChange>>,
): Promise<number> {
  const names = Object.keys(changes);
  if (names.length === 0) throw new ConsoleError('bad_request', { message: 'Nothing was changed.' });
  const { commandTag } = await tx.queryText(sql`
    update ${table(relation)}
    set ${sql.join(names.map((name) => sql`${columnOf(relation, name)} = ${newValue(changes[name])}`))}
    ${scoped(relation, scope)}`);
  return rowsIn(commandTag);
}

/** Returns a WHERE clause that selects the rows in the scope. @throws {ConsoleError} bad_request, no_primary_key */
export const scoped = (relation: Relation, scope: Scope): Sql => where(inScope(relation, scope));

/**
 * Returns a condition that is true for rows in the scope, or undefined if the scope contains all rows of the table.
 * @throws {ConsoleError} bad_request, no_primary_key
 */
export function inScope(relation: Relation, scope: Scope): Sql | undefined {
  if ('filters' in scope) return matching(relation, scope.filters);
  if (identifying(relation).length === 0) throw new ConsoleError('no_primary_key');
  const keys = scope.keys.map((key) => sql`(${isRow(relation, key)})`);
  return sql`(${sql.join(keys, ' or ')})`;
}

/** Returns the number of rows in a command tag such as `UPDATE 3`. */
const rowsIn = (commandTag: string): number => Number(/\d+$/.exec(commandTag)?.[0] ?? 0);

function newValue(change: CellChange | undefined): Sql {
  if (change === undefined || 'default' in change) return sql.raw('default');
  return sql`${change.value}`;
}
