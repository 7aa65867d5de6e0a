/** Determines which WAL an archive contains. */
import { segmentEnd, segmentStart } from './lsn.ts';
import type { WalRange } from './names.ts';

/**
 * Returns ranges that cover the WAL between `from` and `to`, up to the first gap. Prefers long ranges to short ones.
 */
export function chain(ranges: readonly WalRange[], from: bigint, to: bigint): readonly WalRange[] {
  const sorted = [...ranges].sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  const found: WalRange[] = [];
  let reached = from;
  let at = 0;
  while (reached < to) {
    let best: WalRange | undefined;
    for (; at < sorted.length && (sorted[at] as WalRange).start <= reached; at++) {
      const range = sorted[at] as WalRange;
      if (range.end > reached && (best === undefined || range.end > best.end)) best = range;
    }
    if (best === undefined) break;
    found.push(best);
    reached = best.end;
  }
  return found;
}

export interface Coverage {
  /** The end of the WAL that is available without gaps. */
  readonly end: bigint;
  /**
   * The time up to which the archive is complete. Undefined if the archive contains no WAL after the start position.
   */
  readonly timeMs: number | undefined;
}

/** Returns the position and time up to which the WAL of one timeline, beginning at `from`, is complete. */
export function coverage(ranges: readonly WalRange[], from: bigint): Coverage {
  const covering = chain(ranges, from, 0xffff_ffff_ffff_ffffn);
  const end = covering.at(-1)?.end ?? from;
  // A chunk can have a later time than the complete segment that contains the chunk.
  const times = ranges.filter((range) => range.end <= end && range.end > from).map(({ timeMs }) => timeMs);
  return { end, timeMs: times.length === 0 ? undefined : Math.max(...times) };
}

/**
 * Returns the ranges to read for the segment at `start`. The caller must clip the ranges to the segment. Returns an
 * empty list if the segment's beginning is missing.
 */
export const segmentRanges = (ranges: readonly WalRange[], start: bigint): readonly WalRange[] =>
  chain(
    ranges.filter((range) => range.end > start && range.start < segmentEnd(start)),
    start,
    segmentEnd(start),
  );

/** Returns the chunks that complete segments have replaced. */
export function replacedChunks(ranges: readonly WalRange[]): readonly WalRange[] {
  const isWhole = (range: WalRange): boolean =>
    range.start === segmentStart(range.start) && range.end === segmentEnd(range.start);
  const whole = new Set(ranges.filter(isWhole).map(({ timeline, start }) => `${timeline} ${start}`));
  return ranges.filter(
    (range) => !isWhole(range) && whole.has(`${range.timeline} ${segmentStart(range.start)}`),
  );
}
