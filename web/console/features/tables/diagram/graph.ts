/** Selects the tables and relations of a diagram. This module doesn't depend on React. */
import { bySchema, isSystemSchema } from '../../../api/system-schemas.ts';
import type { DiagramColumn, DiagramTable, Relationship } from './api.ts';
import type { DiagramSearch } from './search.ts';

/** Identifies a table. The text is unambiguous even if a name contains a dot or a quote. */
export const idOf = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  JSON.stringify([schema, name]);

/** The text for a table in addresses and in messages. */
export const labelOf = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  `${schema}.${name}`;

export interface Graph {
  readonly tables: readonly DiagramTable[];
  readonly relationships: readonly Relationship[];
}

/** Returns all relations between the tables. A key is omitted if its table isn't one of the tables. */
export function graphOf(tables: readonly DiagramTable[]): Graph {
  const byId = new Map(tables.map((table) => [idOf(table), table]));
  const relationships = tables.flatMap((from) =>
    from.foreign_keys.flatMap((key) => {
      const to = byId.get(idOf({ schema: key.schema, name: key.table }));
      return to === undefined ? [] : [{ from, to, key }];
    }),
  );
  return { tables, relationships };
}

/** Returns the part of the graph that the search parameters select, with the tables in the order of their names. */
export function selectedGraph(
  graph: Graph,
  { schema, near, depth = 1 }: Pick<DiagramSearch, 'schema' | 'near' | 'depth'>,
): Graph {
  const center = near === undefined ? undefined : graph.tables.find((table) => labelOf(table) === near);
  const ids = center === undefined ? undefined : neighborhood(graph, idOf(center), depth);
  const isSelected = (table: DiagramTable): boolean =>
    ids?.has(idOf(table)) ??
    (schema === '*' || (schema === undefined ? !isSystemSchema(table.schema) : table.schema === schema));
  return graphOf(
    graph.tables
      .filter(isSelected)
      .toSorted((left, right) => bySchema(left.schema, right.schema) || left.name.localeCompare(right.name)),
  );
}

/** Returns the tables that can be reached through at most `depth` relations, in either direction. */
export function neighborhood({ relationships }: Graph, center: string, depth: number): ReadonlySet<string> {
  const neighbors = new Map<string, string[]>();
  for (const { from, to } of relationships) {
    const ends = [idOf(from), idOf(to)] as const;
    for (const [end, other] of [ends, ends.toReversed() as [string, string]])
      neighbors.set(end, [...(neighbors.get(end) ?? []), other]);
  }
  const reached = new Set([center]);
  let border = [center];
  for (let step = 0; step < depth; step++) {
    border = border.flatMap((id) => neighbors.get(id) ?? []).filter((id) => !reached.has(id));
    for (const id of border) reached.add(id);
  }
  return reached;
}

/** The names of the columns that are part of a foreign key. */
export const foreignColumns = ({ foreign_keys }: DiagramTable): ReadonlySet<string> =>
  new Set(foreign_keys.flatMap(({ columns }) => columns));

/** Returns the columns that the diagram shows: all, or only those of the primary key and of foreign keys. */
export function shownColumns(table: DiagramTable, only: DiagramSearch['columns']): readonly DiagramColumn[] {
  if (only === undefined) return table.columns;
  const foreign = foreignColumns(table);
  return table.columns.filter(({ name, primary_key }) => primary_key || foreign.has(name));
}
