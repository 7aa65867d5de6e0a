/**
 * Which rows a scroll position shows. Browsers end an element near 17 or 33 million pixels, so a long table's range is
 * scaled: a leap of the scroll bar goes by proportion, and a small step moves as many pixels as it says.
 */

/** Below what every browser can do. */
export const mostPixels = 15_000_000;

export interface Track {
  /** Pixels that all rows would take. */
  readonly whole: number;
  /** Pixels of rows in view. */
  readonly view: number;
}

export interface Place {
  /** Of the element. */
  readonly scrollTop: number;
  /** Pixels of rows above the view. */
  readonly top: number;
}

export const elementHeight = ({ whole }: Track): number => Math.min(whole, mostPixels);

const isScaled = ({ whole }: Track): boolean => whole > mostPixels;
const farthest = ({ whole, view }: Track): number => Math.max(0, whole - view);
const farthestScroll = (track: Track): number => Math.max(0, elementHeight(track) - track.view);
const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most));

/** Where the element has to be for these rows. */
export function scrollTopFor(track: Track, top: number): number {
  if (!isScaled(track)) return clamp(top, farthest(track));
  return Math.round((clamp(top, farthest(track)) / farthest(track)) * farthestScroll(track));
}

/** What is shown after the element was scrolled. */
export function scrolled(track: Track, former: Place, scrollTop: number): Place {
  if (!isScaled(track)) return { scrollTop, top: clamp(scrollTop, farthest(track)) };
  const step = scrollTop - former.scrollTop;
  const isLeap = Math.abs(step) > track.view;
  const top = isLeap ? (scrollTop / farthestScroll(track)) * farthest(track) : former.top + step;
  return { scrollTop, top: clamp(top, farthest(track)) };
}

/** The top that brings a row into view with as little movement as possible. */
export function topToShow(track: Track, top: number, start: number, size: number): number {
  if (start < top) return start;
  return start + size > top + track.view ? start + size - track.view : top;
}
