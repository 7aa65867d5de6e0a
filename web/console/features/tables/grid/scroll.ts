/**
 * Maps scroll positions to rows. Browsers limit an element's height to about 17 or 33 million pixels, so the range of a
 * long table is scaled: dragging the scroll bar moves proportionally, and small steps move by exact pixels.
 */

/** Below the limit of every browser. */
export const mostPixels = 15_000_000;

export interface Track {
  /** The height of all rows in pixels. */
  readonly whole: number;
  /** The height of the viewport's rows in pixels. */
  readonly view: number;
}

export interface Place {
  /** The element's scroll position. */
  readonly scrollTop: number;
  /** The height of the rows above the viewport in pixels. */
  readonly top: number;
}

export const elementHeight = ({ whole }: Track): number => Math.min(whole, mostPixels);

const isScaled = ({ whole }: Track): boolean => whole > mostPixels;
const farthest = ({ whole, view }: Track): number => Math.max(0, whole - view);
const farthestScroll = (track: Track): number => Math.max(0, elementHeight(track) - track.view);
const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most));

/** Returns the element's scroll position that shows these rows. */
export function scrollTopFor(track: Track, top: number): number {
  if (!isScaled(track)) return clamp(top, farthest(track));
  return Math.round((clamp(top, farthest(track)) / farthest(track)) * farthestScroll(track));
}

/** Returns what is visible after the element was scrolled. */
export function scrolled(track: Track, former: Place, scrollTop: number): Place {
  if (!isScaled(track)) return { scrollTop, top: clamp(scrollTop, farthest(track)) };
  const step = scrollTop - former.scrollTop;
  const isLeap = Math.abs(step) > track.view;
  const top = isLeap ? (scrollTop / farthestScroll(track)) * farthest(track) : former.top + step;
  return { scrollTop, top: clamp(top, farthest(track)) };
}

/** Returns the `top` that makes a row visible with the least movement. */
export function topToShow(track: Track, top: number, start: number, size: number): number {
  if (start < top) return start;
  return start + size > top + track.view ? start + size - track.view : top;
}
