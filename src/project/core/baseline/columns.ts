/** Columns that a statement of the migrations needs: their table and their type. */
import type { ColumnModel } from '../types-file/model.ts';
import type { Draft, TableDraft } from './draft.ts';
import { bare, nameOf, typeOfValue } from './print.ts';
import { positionOfColumn, tablesAround } from './scope.ts';
import type { Sources } from './sources.ts';
import { mentions } from './statement.ts';

/** Returns the column from the types, under its current or its later name. Otherwise the type is guessed from the name. */
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

/** A column that a statement uses although no table has it. */
export interface MissingColumn {
  readonly name: string;
  /** The alias or table name before the column. */
  readonly qualifier?: string;
  /** 1-based, in characters of the statement. PostgreSQL doesn't report it for every statement. */
  readonly position: number | undefined;
}

/** Returns the statement's table that most likely has the missing column. */
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
      .flatMap((table) => draft.findTable(table.name) ?? [])
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

/** A column of a table that an earlier migration creates, so the baseline can't contain it. */
export interface LateColumn {
  readonly kind: 'run';
  readonly statements: readonly string[];
  readonly isTooLate: true;
}

/** Adds a column from the types to a table that isn't in the baseline. `written` is the table's name in the error. */
export function lateColumn(
  draft: Draft,
  written: string | undefined,
  name: string,
  statement: string,
): LateColumn | undefined {
  const schemas = draft.model.schemas.flatMap((schema) =>
    schema.tables.map((model) => ({ schema: schema.name, model })),
  );
  const found = schemas.find(
    ({ schema, model }) =>
      !draft.tables.has(`${schema}.${model.name}`) &&
      (written === undefined ? mentions(statement, model.name) : model.name === written) &&
      model.columns.some((column) => column.name === name),
  );
  if (found === undefined) return undefined;
  const { schema, model } = found;
  const column = model.columns.find((one) => one.name === name) as ColumnModel;
  const { type } = typeOfValue(draft, column);
  const statements = [`alter table ${nameOf({ schema, name: model.name })} add column ${bare(name)} ${type}`];
  return { kind: 'run', statements, isTooLate: true };
}
