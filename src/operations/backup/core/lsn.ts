/** WAL positions and segments. A position (LSN) is a byte offset in the cluster's WAL. */

/** PostgreSQL's default segment size, which the embedded server uses. */
export const segmentBytes = 16 * 1024 * 1024;
const segment = BigInt(segmentBytes);
const segmentsPerFile = 0x1_0000_0000n / segment;

/**
 * Parses a position.
 *
 * @example parseLsn('0/3000028') // 0x3000028n
 */
export function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/');
  if (!/^[0-9A-F]{1,8}$/i.test(high) || !/^[0-9A-F]{1,8}$/i.test(low)) throw new Error(`Not an LSN: ${text}`);
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export const formatLsn = (lsn: bigint): string =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffff_ffffn).toString(16).toUpperCase()}`;

/** Returns the start of the segment that contains `lsn`. */
export const segmentStart = (lsn: bigint): bigint => lsn - (lsn % segment);

export const segmentEnd = (lsn: bigint): bigint => segmentStart(lsn) + segment;

/** Returns the timeline and the start position from a segment's file name, or undefined if the file isn't a segment. */
export function parseSegmentName(
  name: string,
): { readonly timeline: number; readonly start: bigint } | undefined {
  if (!/^[0-9A-F]{24}$/.test(name)) return undefined;
  const [timeline, log, number] = [0, 8, 16].map((at) => BigInt(`0x${name.slice(at, at + 8)}`)) as [
    bigint,
    bigint,
    bigint,
  ];
  return { timeline: Number(timeline), start: (log * segmentsPerFile + number) * segment };
}

/**
 * Returns the file name of the segment at `start`.
 *
 * @example segmentName(1, 0x3000000n) // '000000010000000000000003'
 */
export function segmentName(timeline: number, start: bigint): string {
  const number = start / segment;
  return [BigInt(timeline), number / segmentsPerFile, number % segmentsPerFile]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}
