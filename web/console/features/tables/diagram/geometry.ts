/** The sizes and positions of the diagram's parts, in pixels at a zoom of 100%. This module doesn't depend on React. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Box = Point & Size;

export const headHeight = 44;
export const rowHeight = 22;
export const nodeWidth = 264;
const footHeight = 6;

export const nodeSize = (rows: number): Size => ({
  width: nodeWidth,
  height: headHeight + rows * rowHeight + (rows === 0 ? 0 : footHeight),
});

/** The vertical position of a column's center in its table. Without a row, the edge ends at the table's name. */
export const rowCenter = (row: number): number =>
  row < 0 ? headHeight / 2 : headHeight + (row + 0.5) * rowHeight;

/** Returns the smallest box that contains all boxes. */
export function bounds(boxes: Iterable<Box>): Box {
  const all = [...boxes];
  if (all.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const x = Math.min(...all.map((box) => box.x));
  const y = Math.min(...all.map((box) => box.y));
  const right = Math.max(...all.map((box) => box.x + box.width));
  const bottom = Math.max(...all.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

export const overlaps = (left: Box, right: Box): boolean =>
  left.x < right.x + right.width &&
  right.x < left.x + left.width &&
  left.y < right.y + right.height &&
  right.y < left.y + left.height;

export interface Edge {
  readonly start: Point;
  readonly end: Point;
  /** The horizontal directions in which the edge leaves its two tables: 1 is right, and -1 is left. */
  readonly startSide: 1 | -1;
  readonly endSide: 1 | -1;
}

/** The length of the marks at the ends of an edge. */
const markLength = 10;

/** Returns the edge between two rows. It leaves each table at the side that is closer to the other table. */
export function edgeBetween(from: Box, fromRow: number, to: Box, toRow: number): Edge {
  const isRight = to.x >= from.x + from.width;
  const isLeft = to.x + to.width <= from.x;
  // If the tables are above each other, both ends are at the right sides.
  const startSide = isLeft && !isRight ? -1 : 1;
  const endSide = isRight ? -1 : 1;
  const at = (box: Box, side: 1 | -1, row: number): Point => ({
    x: side === 1 ? box.x + box.width : box.x,
    y: box.y + rowCenter(row),
  });
  return { start: at(from, startSide, fromRow), end: at(to, endSide, toRow), startSide, endSide };
}

/** Returns the edge as the `d` attribute of an SVG path. */
export function edgePath({ start, end, startSide, endSide }: Edge): string {
  const bend = Math.min(160, Math.max(36, Math.abs(end.x - start.x) / 2));
  const from = start.x + startSide * markLength;
  const to = end.x + endSide * markLength;
  return (
    `M${start.x} ${start.y}L${from} ${start.y}` +
    `C${from + startSide * bend} ${start.y} ${to + endSide * bend} ${end.y} ${to} ${end.y}L${end.x} ${end.y}`
  );
}

/** Returns the marks of an edge: a crow's foot if many rows can reference the same row, and a line at the other end. */
export function edgeMarks({ start, end, startSide, endSide }: Edge, isUnique: boolean): string {
  const far = start.x + startSide * markLength;
  const bar = (x: number, y: number): string => `M${x} ${y - 5}V${y + 5}`;
  const foot = isUnique
    ? bar(far, start.y)
    : `M${start.x} ${start.y - 5}L${far} ${start.y}L${start.x} ${start.y + 5}`;
  return foot + bar(end.x + endSide * (markLength - 3), end.y);
}

/** Returns the part of the diagram that an edge can occupy. */
export function edgeBox({ start, end }: Edge): Box {
  const margin = 180;
  const x = Math.min(start.x, end.x) - margin;
  const y = Math.min(start.y, end.y);
  return { x, y, width: Math.abs(end.x - start.x) + 2 * margin, height: Math.abs(end.y - start.y) + 1 };
}
