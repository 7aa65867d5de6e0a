/** Finds the table and type of a column that a statement in the migrations needs. */

import { mentions } from '../../folder/index.ts';
import type { ColumnModel, TableModel } from '../../types-file/index.ts';
import type { Draft, TableDraft } from './draft.ts';
import { bare, nameOf, typeOfValue } from './print.ts';
import { positionOfColumn, tablesAround } from './scope.ts';
import type { Sources } from './sources.ts';

/**
 * Returns the column from the generated types that has this name now or after a later migration. If the types don't
 * contain the column, returns a nullable string column.
 */
export function columnModel(draft: Draft, sources: Sources, table: TableDraft, name: string): ColumnModel {
  const names = [
    table.name,
    ...[...draft.oldNames].flatMap(([now, old]) => (old === table.name ? [now] : [])),
  ];
  const inTypes = (column: string | undefined) =>
    names
      .flatMap((one) => draft.tableModel(table.schema, one)?.columns ?? [])
      .find((one) => one.name === column);
  const found =
    inTypes(name) ??
    names.map((one) => inTypes(sources.newColumnName(one, name))).find((one) => one !== undefined);
  if (found !== undefined) return { ...found, name };
  return { name, type: { kind: 'string', dimensions: 0 }, nullable: true, optional: true, generated: false };
}

/** A column that a statement uses but that isn't in any of the statement's tables. */
export interface MissingColumn {
  readonly name: string;
  /** The alias or table name in front of the column. */
  readonly qualifier?: string;
  /**
   * The column's position in the statement in characters, starting at 1. Undefined if PostgreSQL doesn't report the
   * position.
   */
  readonly position: number | undefined;
}

/** Returns the table in the statement to which the missing column most likely belongs. */
export function tableLacking(
  draft: Draft,
  { name, qualifier, position }: MissingColumn,
  statement: string,
): TableDraft | undefined {
  const isLacking = (table: TableDraft) => !table.columns.some((column) => column.name === name);
  const likeliest = (candidates: readonly TableDraft[]) =>
    candidates.find((table) => isInTypes(draft, table, name)) ??
    candidates.find(({ isKnown }) => !isKnown) ??
    (candidates.length === 1 ? candidates[0] : undefined);
  const mentioned = [...draft.tables.values()].filter(
    (table) => mentions(statement, table.name) && isLacking(table),
  );
  const at = position ?? positionOfColumn(statement, name, qualifier);
  if (at === undefined) return likeliest(mentioned);
  const levels = tablesAround(statement, at).map((tables) =>
    tables
      .filter(({ alias }) => qualifier === undefined || alias === qualifier)
      .flatMap(({ schema, name }) => draft.findTable(name, schema) ?? [])
      .filter(isLacking),
  );
  return (
    levels.flat().find((table) => isInTypes(draft, table, name)) ??
    levels.map(likeliest).find((table) => table !== undefined) ??
    likeliest(mentioned)
  );
}

const isInTypes = (draft: Draft, table: TableDraft, name: string): boolean =>
  draft.tableModel(table.schema, table.name)?.columns.some((column) => column.name === name) === true;

/** A column of a table that an earlier migration creates. The baseline can't contain such a column. */
interface LateColumn {
  readonly kind: 'run';
  readonly statements: readonly string[];
  readonly isTooLate: true;
}

/** A table from the generated types that the baseline doesn't contain because a migration creates it. */
export interface LateTable {
  readonly schema: string;
  readonly model: TableModel;
}

/**
 * Returns the table that contains the column according to the generated types. `written` is the table's name in the
 * error message.
 */
export function lateTable(
  draft: Draft,
  written: string | undefined,
  name: string,
  statement: string,
): LateTable | undefined {
  const schemas = draft.model.schemas.flatMap((schema) =>
    schema.tables.map((model) => ({ schema: schema.name, model })),
  );
  return schemas.find(
    ({ schema, model }) =>
      !draft.tables.has(`${schema}.${model.name}`) &&
      (written === undefined ? mentions(statement, model.name) : model.name === written) &&
      model.columns.some((column) => column.name === name),
  );
}

/** Adds a column from the generated types to a table that a migration creates. */
export function lateColumn(draft: Draft, { schema, model }: LateTable, name: string): LateColumn {
  const column = model.columns.find((one) => one.name === name) as ColumnModel;
  const { type } = typeOfValue(draft, column);
  const statements = [`alter table ${nameOf({ schema, name: model.name })} add column ${bare(name)} ${type}`];
  return { kind: 'run', statements, isTooLate: true };
}
