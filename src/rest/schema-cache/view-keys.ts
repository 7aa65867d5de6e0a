/** Which views show all columns of a primary or foreign key, and under which names. Pure. */
import type { ForeignKeyRow, PrimaryKeyRow, ViewRow } from '../queries.ts';
import { originColumns } from './node-tree.ts';
import type { QualifiedName } from './types.ts';

export interface ViewKey {
  readonly view: QualifiedName;
  readonly foreignKey: ForeignKeyRow;
  readonly side: 'referencing' | 'referenced';
  /** Every way to name the key's columns in the view; a column shown twice makes two. */
  readonly columnSets: readonly (readonly string[])[];
}

/** View column names by relation oid and column number; views that look through views included. */
type Shown = ReadonlyMap<number, ReadonlyMap<number, readonly string[]>>;

interface Traced {
  readonly view: ViewRow;
  readonly shown: Shown;
}

/** Follows columns of the exposed views down to every relation on their way. */
export function traceViews(views: readonly ViewRow[]): Traced[] {
  const origins = new Map(views.map((view) => [view.oid, originColumns(view.nodeTree)]));
  return views
    .filter((view) => view.exposed)
    .map((view) => {
      const shown = new Map<number, Map<number, string[]>>();
      const follow = (from: number, fromColumn: number, name: string, path: ReadonlySet<number>): void => {
        for (const origin of origins.get(from) ?? []) {
          if (origin.viewColumn !== fromColumn || path.has(origin.relation)) continue;
          const columns = shown.get(origin.relation) ?? new Map<number, string[]>();
          shown.set(origin.relation, columns);
          columns.set(origin.column, [...(columns.get(origin.column) ?? []), name]);
          follow(origin.relation, origin.column, name, new Set([...path, origin.relation]));
        }
      };
      view.columnNames.forEach((name, index) => {
        if (name !== null) follow(view.oid, index + 1, name, new Set([view.oid]));
      });
      return { view, shown };
    });
}

export function viewForeignKeys(traced: readonly Traced[], foreignKeys: readonly ForeignKeyRow[]): ViewKey[] {
  const found: ViewKey[] = [];
  for (const { view, shown } of traced) {
    for (const foreignKey of foreignKeys) {
      const referencing = columnSets(shown.get(foreignKey.tableOid), foreignKey.columnNumbers);
      const referenced = columnSets(shown.get(foreignKey.foreignOid), foreignKey.foreignColumnNumbers);
      if (referencing.length > 0)
        found.push({ view, foreignKey, side: 'referencing', columnSets: referencing });
      if (referenced.length > 0) found.push({ view, foreignKey, side: 'referenced', columnSets: referenced });
    }
  }
  return found;
}

/** The view's own primary key: the first name of each column of every key that it shows whole. */
export function viewPrimaryKey(traced: Traced, primaryKeys: readonly PrimaryKeyRow[]): string[] {
  const names: string[] = [];
  for (const { oid, columnNumbers } of primaryKeys) {
    const columns = traced.shown.get(oid);
    const own = columnNumbers.map((number) => columns?.get(number)?.[0]);
    if (own.every((name) => name !== undefined)) names.push(...own);
  }
  return names;
}

function columnSets(
  columns: ReadonlyMap<number, readonly string[]> | undefined,
  numbers: readonly number[],
): string[][] {
  if (columns === undefined) return [];
  return numbers.reduce<string[][]>(
    (sets, number) => sets.flatMap((set) => (columns.get(number) ?? []).map((name) => [...set, name])),
    [[]],
  );
}
