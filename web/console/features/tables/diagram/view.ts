/** Calculates which part of the diagram is visible. This module doesn't depend on React. */
import { type Box, overlaps, type Point, type Size } from './geometry.ts';

/** The position of the diagram's origin in the window, in pixels, and the zoom. */
export interface View extends Point {
  readonly zoom: number;
}

export const minZoom = 0.05;
export const maxZoom = 2;
/** Below this zoom, text can't be read, so only the names of tables are shown. */
export const detailZoom = 0.35;
/**
 * Below this zoom, the buttons of tables would be smaller than 24 px (WCAG 2.2, success criterion 2.5.8), so they aren't
 * rendered. A click on the table and the space bar do the same.
 */
export const buttonZoom = 0.86;
/** If the whole diagram would be smaller than this, the diagram opens with a part of it. */
const openingZoom = 0.5;
const margin = 24;

const clampZoom = (zoom: number): number => Math.min(maxZoom, Math.max(minZoom, zoom));

/** Changes the zoom. The given point of the window shows the same point of the diagram as before. */
export function zoomed(view: View, factor: number, at: Point): View {
  const zoom = clampZoom(view.zoom * factor);
  const scale = zoom / view.zoom;
  return { zoom, x: at.x - (at.x - view.x) * scale, y: at.y - (at.y - view.y) * scale };
}

/** Shows the whole diagram. */
export function fitted(content: Box, window: Size): View {
  const zoom = Math.min(
    1,
    clampZoom(
      Math.min(
        (window.width - 2 * margin) / Math.max(1, content.width),
        (window.height - 2 * margin) / Math.max(1, content.height),
      ),
    ),
  );
  return centered(content, window, zoom);
}

/** Shows the whole diagram if its text can be read then, and otherwise a part with the given box. */
export function opening(content: Box, around: Box, window: Size): View {
  const whole = fitted(content, window);
  if (whole.zoom >= openingZoom) return whole;
  const { x, y, zoom } = centered(around, window, openingZoom);
  return {
    zoom,
    x: filling(x, content.x * zoom, content.width * zoom, window.width),
    y: filling(y, content.y * zoom, content.height * zoom, window.height),
  };
}

/** Moves the diagram so that no space at its edges is empty. If it is smaller than the window, it is centered. */
function filling(position: number, start: number, length: number, space: number): number {
  const first = margin - start;
  const last = space - margin - length - start;
  return last > first ? (first + last) / 2 : Math.min(first, Math.max(last, position));
}

function centered(box: Box, window: Size, zoom: number): View {
  return {
    zoom,
    x: window.width / 2 - (box.x + box.width / 2) * zoom,
    y: window.height / 2 - (box.y + box.height / 2) * zoom,
  };
}

/** Moves the view as little as possible so that the box is visible, and at a zoom at which it can be read. */
export function revealing(view: View, box: Box, window: Size): View {
  if (view.zoom < detailZoom) return centered(box, window, 0.75);
  const { zoom } = view;
  const shift = (start: number, length: number, space: number): number =>
    start < margin || length > space - 2 * margin
      ? margin - start
      : Math.min(0, space - margin - (start + length));
  return {
    zoom,
    x: view.x + shift(view.x + box.x * zoom, box.width * zoom, window.width),
    y: view.y + shift(view.y + box.y * zoom, box.height * zoom, window.height),
  };
}

/** The part of the diagram that is rendered: the visible part, and a margin so that it can be moved smoothly. */
export function renderedPart({ x, y, zoom }: View, { width, height }: Size): Box {
  const extra = 160;
  return {
    x: (-x - extra) / zoom,
    y: (-y - extra) / zoom,
    width: (width + 2 * extra) / zoom,
    height: (height + 2 * extra) / zoom,
  };
}

export const inside = <T>(items: readonly T[], part: Box, boxOf: (item: T) => Box): readonly T[] =>
  items.filter((item) => overlaps(boxOf(item), part));
