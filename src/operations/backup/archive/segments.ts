/** Collects received WAL by segment and keeps it until it has been stored. */
import { segmentBytes, segmentEnd, segmentStart } from '../core/lsn.ts';
import type { WalRange } from '../core/names.ts';

export interface Segment {
  readonly start: bigint;
  readonly bytes: Buffer;
  /** The position up to which WAL was received. */
  received: bigint;
  /** The position up to which WAL was stored. */
  stored: bigint;
  /** The ranges of this segment that have been stored. */
  ranges: WalRange[];
}

export class Segments {
  readonly #segments: Segment[] = [];

  /** Adds received WAL. @throws {Error} if `start` isn't the end of the WAL received so far */
  add(start: bigint, bytes: Buffer): void {
    let at = start;
    let rest = bytes;
    while (rest.length > 0) {
      const segment = this.#segmentAt(at);
      const taken = Math.min(rest.length, Number(segmentEnd(segment.start) - at));
      rest.copy(segment.bytes, Number(at - segment.start), 0, taken);
      at += BigInt(taken);
      segment.received = at;
      rest = rest.subarray(taken);
    }
  }

  get all(): readonly Segment[] {
    return this.#segments;
  }

  get received(): bigint | undefined {
    return this.#segments.at(-1)?.received;
  }

  /** Releases segments that have been stored completely. */
  release(): void {
    while (
      this.#segments[0] !== undefined &&
      this.#segments[0].stored === segmentEnd(this.#segments[0].start)
    )
      this.#segments.shift();
  }

  #segmentAt(lsn: bigint): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && lsn === last.received && lsn < segmentEnd(last.start)) return last;
    const isNext =
      last === undefined
        ? lsn === segmentStart(lsn)
        : lsn === segmentEnd(last.start) && lsn === last.received;
    if (!isNext) throw new Error('PostgreSQL sent WAL that is not contiguous');
    const bytes = Buffer.alloc(segmentBytes);
    const segment = { start: lsn, bytes, received: lsn, stored: lsn, ranges: [] };
    this.#segments.push(segment);
    return segment;
  }
}
