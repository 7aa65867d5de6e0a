/** Combines a diagram's tables with their positions. This module doesn't depend on React. */
import type { DiagramColumn, DiagramTable, Relationship } from './api.ts';
import type { Arrangement } from './arrange.ts';
import { type Box, type Edge, edgeBetween, nodeSize } from './geometry.ts';
import { type Graph, idOf, shownColumns } from './graph.ts';
import type { Positions } from './positions.ts';
import type { DiagramSearch } from './search.ts';

export interface PlacedTable {
  readonly id: string;
  readonly table: DiagramTable;
  readonly columns: readonly DiagramColumn[];
  readonly box: Box;
}

export interface PlacedEdge {
  readonly id: string;
  readonly relationship: Relationship;
  readonly edge: Edge;
}

/** Returns the sizes of the tables, and their relations. */
export function arrangementOf({ tables, relationships }: Graph, only: DiagramSearch['columns']): Arrangement {
  return {
    nodes: tables.map((table) => ({ id: idOf(table), ...nodeSize(shownColumns(table, only).length) })),
    edges: relationships.map(({ from, to }) => [idOf(from), idOf(to)] as const),
  };
}

export function placedTables(
  { tables }: Graph,
  only: DiagramSearch['columns'],
  positions: Positions,
): readonly PlacedTable[] {
  return tables.flatMap((table) => {
    const id = idOf(table);
    const position = positions.get(id);
    const columns = shownColumns(table, only);
    return position === undefined
      ? []
      : [{ id, table, columns, box: { ...position, ...nodeSize(columns.length) } }];
  });
}

export function placedEdges({ relationships }: Graph, tables: readonly PlacedTable[]): readonly PlacedEdge[] {
  const byId = new Map(tables.map((table) => [table.id, table]));
  return relationships.flatMap((relationship) => {
    const { from, to, key } = relationship;
    const [start, end] = [byId.get(idOf(from)), byId.get(idOf(to))];
    if (start === undefined || end === undefined) return [];
    const rowOf = ({ columns }: PlacedTable, name: string | undefined): number =>
      columns.findIndex((column) => column.name === name);
    const edge = edgeBetween(start.box, rowOf(start, key.columns[0]), end.box, rowOf(end, key.references[0]));
    return [{ id: JSON.stringify([start.id, key.name]), relationship, edge }];
  });
}
