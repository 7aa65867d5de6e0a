/**
 * Maps scroll positions to rows. Browsers limit the height of an element to about 17 or 33 million pixels, so the
 * scroll range of a long table is scaled down. If the user drags the scroll bar, the rows move in proportion. If the
 * user scrolls in small steps, the rows move by the same number of pixels as in an unscaled table.
 */

/** The maximum height of an element, which is below the limit of every browser. */
export const maxPixels = 15_000_000;

export interface Track {
  /** The height of all rows together, in pixels. */
  readonly whole: number;
  /** The height of the viewport's rows in pixels. */
  readonly view: number;
}

export interface ScrollState {
  /** The element's scroll position. */
  readonly scrollTop: number;
  /** The height of the rows above the viewport in pixels. */
  readonly top: number;
}

export const elementHeight = ({ whole }: Track): number => Math.min(whole, maxPixels);

const isScaled = ({ whole }: Track): boolean => whole > maxPixels;
const farthest = ({ whole, view }: Track): number => Math.max(0, whole - view);
const farthestScroll = (track: Track): number => Math.max(0, elementHeight(track) - track.view);
const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max));

/** Returns the scroll position at which the rows above the viewport have the height `top`. */
export function scrollTopFor(track: Track, top: number): number {
  if (!isScaled(track)) return clamp(top, farthest(track));
  return Math.round((clamp(top, farthest(track)) / farthest(track)) * farthestScroll(track));
}

/** Returns the new state after the element was scrolled to `scrollTop`. */
export function scrolled(track: Track, previous: ScrollState, scrollTop: number): ScrollState {
  if (!isScaled(track)) return { scrollTop, top: clamp(scrollTop, farthest(track)) };
  const step = scrollTop - previous.scrollTop;
  const isLeap = Math.abs(step) > track.view;
  const top = isLeap ? (scrollTop / farthestScroll(track)) * farthest(track) : previous.top + step;
  return { scrollTop, top: clamp(top, farthest(track)) };
}

/** Returns the `top` that makes a row visible with the smallest movement. */
export function topToShow(track: Track, top: number, start: number, size: number): number {
  if (start < top) return start;
  return start + size > top + track.view ? start + size - track.view : top;
}
