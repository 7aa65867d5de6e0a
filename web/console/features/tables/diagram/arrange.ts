/**
 * Arranges the tables of a diagram. `@dagrejs/dagre` finds the columns of tables and their order. This module runs in a
 * worker, because the arrangement of hundreds of tables takes seconds.
 */
import { Graph, layout } from '@dagrejs/dagre';
import { type Box, bounds, type Point, type Size } from './geometry.ts';

export interface Arrangement {
  readonly nodes: readonly (Size & { readonly id: string })[];
  /** The related nodes as pairs of IDs. */
  readonly edges: readonly (readonly [from: string, to: string])[];
}

type Node = Arrangement['nodes'][number];

const columnGap = 112;
const rowGap = 28;
const partGap = 72;
/** The width of the diagram in relation to its height, as in most windows. */
const aspect = 1.5;

/** Returns the position of each node. */
export function arranged({ nodes, edges }: Arrangement): Map<string, Point> {
  const parts = connectedParts(nodes, edges);
  const boxes = parts.map((part) =>
    part.length === 1 ? new Map(part.map(({ id }) => [id, { x: 0, y: 0 }])) : arrangedPart(part, edges),
  );
  return packed(parts, boxes);
}

/** Groups the nodes so that related nodes are in the same group. The largest groups are first. */
function connectedParts(nodes: readonly Node[], edges: Arrangement['edges']): Node[][] {
  const representative = new Map(nodes.map(({ id }) => [id, id]));
  const find = (id: string): string => {
    let at = id;
    for (let next = representative.get(at); next !== undefined && next !== at; next = representative.get(at))
      at = next;
    representative.set(id, at);
    return at;
  };
  for (const [from, to] of edges) representative.set(find(from), find(to));
  return [...Map.groupBy(nodes, ({ id }) => find(id)).values()].sort(
    (left, right) => right.length - left.length,
  );
}

function arrangedPart(part: readonly Node[], edges: Arrangement['edges']): Map<string, Point> {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: rowGap, ranksep: columnGap });
  for (const { id, width, height } of part) graph.setNode(id, { width, height });
  for (const [from, to] of edges) if (from !== to && graph.hasNode(from)) graph.setEdge(from, to, {});
  layout(graph);
  const columns = Map.groupBy(
    part.map((node) => ({ ...node, center: graph.node(node.id) as Point })),
    ({ center }) => Math.round(center.x),
  );
  return wrapped(
    [...columns]
      .sort(([left], [right]) => left - right)
      .map(([, column]) => column.toSorted((left, right) => left.center.y - right.center.y)),
  );
}

/**
 * Positions the columns from left to right. A column with many tables is continued in another column, because a
 * diagram with a table that all others reference would otherwise be much too high to be read.
 */
function wrapped(columns: readonly (readonly Node[])[]): Map<string, Point> {
  const all = columns.flat();
  const area = all.reduce((sum, { width, height }) => sum + (width + columnGap) * (height + rowGap), 0);
  const highest = Math.max(...all.map(({ height }) => height));
  const maxHeight = Math.max(highest, Math.sqrt(area / aspect));
  const narrow = columns.flatMap((column) => split(column, maxHeight));
  const heightOf = (column: readonly Node[]): number =>
    column.reduce((sum, { height }) => sum + height + rowGap, -rowGap);
  const total = Math.max(...narrow.map(heightOf));
  const positions = new Map<string, Point>();
  let x = 0;
  for (const column of narrow) {
    let y = Math.round((total - heightOf(column)) / 2);
    for (const { id, height } of column) {
      positions.set(id, { x, y });
      y += height + rowGap;
    }
    x += Math.max(...column.map(({ width }) => width)) + columnGap;
  }
  return positions;
}

/** Splits a column into columns that are about equally high. */
function split(column: readonly Node[], maxHeight: number): Node[][] {
  const height = column.reduce((sum, node) => sum + node.height + rowGap, 0);
  const limit = height / Math.ceil(height / (maxHeight * 1.15));
  const columns: Node[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const node of column) {
    if (used + node.height / 2 > limit) {
      columns.push([]);
      used = 0;
    }
    columns.at(-1)?.push(node);
    used += node.height + rowGap;
  }
  return columns;
}

/** Places the parts beside each other, in rows. */
function packed(
  parts: readonly (readonly Node[])[],
  inParts: readonly ReadonlyMap<string, Point>[],
): Map<string, Point> {
  const placed = parts.map((part, index) => {
    const points = inParts[index] ?? new Map<string, Point>();
    const box = bounds(part.map((node): Box => ({ ...node, ...(points.get(node.id) ?? { x: 0, y: 0 }) })));
    return { points, box };
  });
  const area = placed.reduce((sum, { box }) => sum + (box.width + partGap) * (box.height + partGap), 0);
  const maxWidth = Math.max(Math.sqrt(area * aspect), ...placed.map(({ box }) => box.width));
  const positions = new Map<string, Point>();
  let [x, y, rowHeight] = [0, 0, 0];
  for (const { points, box } of placed) {
    if (x > 0 && x + box.width > maxWidth) [x, y, rowHeight] = [0, y + rowHeight + partGap, 0];
    for (const [id, point] of points) positions.set(id, { x: x + point.x - box.x, y: y + point.y - box.y });
    x += box.width + partGap;
    rowHeight = Math.max(rowHeight, box.height);
  }
  return positions;
}
