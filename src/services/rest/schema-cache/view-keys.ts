/**
 * Finds views that include all columns of a primary or foreign key. Also determines the names of these columns in the
 * view. The module has no side effects.
 */
import type { ForeignKeyRow, PrimaryKeyRow, ViewRow } from '../queries.ts';
import { type OriginColumn, originColumns } from './node-tree.ts';
import type { QualifiedName } from './types.ts';

export interface ViewKey {
  readonly view: QualifiedName;
  readonly foreignKey: ForeignKeyRow;
  readonly side: 'referencing' | 'referenced';
  /**
   * All combinations of view columns that correspond to the key. If a view includes one of the key's columns twice,
   * there are two combinations.
   */
  readonly columnSets: readonly (readonly string[])[];
}

/** A view from the catalog, with its parsed rewrite rule. */
export interface View extends QualifiedName {
  readonly oid: number;
  readonly exposed: boolean;
  /** The column names by attribute number. The name of a dropped column is null. */
  readonly columnNames: readonly (string | null)[];
  readonly origins: readonly OriginColumn[];
}

export const viewOf = ({ nodeTree, ...view }: ViewRow): View => ({
  ...view,
  origins: originColumns(nodeTree),
});

/**
 * The names of view columns, by the underlying relation's OID and the attribute number. Columns are traced through
 * nested views.
 */
type Shown = ReadonlyMap<number, ReadonlyMap<number, readonly string[]>>;

interface Traced {
  readonly view: View;
  readonly shown: Shown;
}

/** Finds the columns of underlying relations that the exposed views include. */
export function* traceViews(views: readonly View[]): Generator<void, Traced[]> {
  const origins = new Map<number, Map<number, OriginColumn[]>>();
  for (const view of views) {
    origins.set(
      view.oid,
      Map.groupBy(view.origins, (origin) => origin.viewColumn),
    );
  }
  const traced: Traced[] = [];
  for (const view of views) {
    if (!view.exposed) continue;
    yield;
    const shown = new Map<number, Map<number, string[]>>();
    const follow = (from: number, fromColumn: number, name: string, path: ReadonlySet<number>): void => {
      for (const origin of origins.get(from)?.get(fromColumn) ?? []) {
        if (path.has(origin.relation)) continue;
        const columns = shown.get(origin.relation) ?? new Map<number, string[]>();
        shown.set(origin.relation, columns);
        columns.set(origin.column, [...(columns.get(origin.column) ?? []), name]);
        follow(origin.relation, origin.column, name, new Set([...path, origin.relation]));
      }
    };
    view.columnNames.forEach((name, index) => {
      if (name !== null) follow(view.oid, index + 1, name, new Set([view.oid]));
    });
    traced.push({ view, shown });
  }
  return traced;
}

export type ViewKeys = ReadonlyMap<ForeignKeyRow, readonly ViewKey[]>;

export function* viewForeignKeys(
  traced: readonly Traced[],
  foreignKeys: readonly ForeignKeyRow[],
): Generator<void, ViewKeys> {
  const byTable = new Map<number, Set<ForeignKeyRow>>();
  for (const key of foreignKeys) {
    for (const oid of [key.tableOid, key.foreignOid]) {
      const keys = byTable.get(oid);
      if (keys === undefined) byTable.set(oid, new Set([key]));
      else keys.add(key);
    }
  }
  const found = new Map<ForeignKeyRow, ViewKey[]>();
  const add = (key: ViewKey) => {
    const keys = found.get(key.foreignKey);
    if (keys === undefined) found.set(key.foreignKey, [key]);
    else keys.push(key);
  };
  for (const { view, shown } of traced) {
    yield;
    for (const [oid, columns] of shown) {
      for (const foreignKey of byTable.get(oid) ?? []) {
        if (foreignKey.tableOid === oid) {
          const sets = columnSets(columns, foreignKey.columnNumbers);
          if (sets.length > 0) add({ view, foreignKey, side: 'referencing', columnSets: sets });
        }
        if (foreignKey.foreignOid === oid) {
          const sets = columnSets(columns, foreignKey.foreignColumnNumbers);
          if (sets.length > 0) add({ view, foreignKey, side: 'referenced', columnSets: sets });
        }
      }
    }
  }
  return found;
}

/**
 * Returns the primary key of each view, by the view's OID. A view's primary key consists of every underlying primary
 * key that the view includes completely. If a view includes a key column several times, the first name is used.
 */
export function* viewPrimaryKeys(
  traced: readonly Traced[],
  primaryKeys: readonly PrimaryKeyRow[],
): Generator<void, Map<number, string[]>> {
  const indexes = new Map(primaryKeys.map((key, index) => [key.oid, index]));
  const found = new Map<number, string[]>();
  for (const { view, shown } of traced) {
    yield;
    const names: string[] = [];
    const shownKeys = [...shown.keys()].flatMap((oid) => indexes.get(oid) ?? []).sort((a, b) => a - b);
    for (const index of shownKeys) {
      const { oid, columnNumbers } = primaryKeys[index] as PrimaryKeyRow;
      const own = columnNumbers.map((number) => shown.get(oid)?.get(number)?.[0]);
      if (own.every((name) => name !== undefined)) names.push(...own);
    }
    found.set(view.oid, names);
  }
  return found;
}

function columnSets(columns: ReadonlyMap<number, readonly string[]>, numbers: readonly number[]): string[][] {
  return numbers.reduce<string[][]>(
    (sets, number) => sets.flatMap((set) => (columns.get(number) ?? []).map((name) => [...set, name])),
    [[]],
  );
}
