/** Reports the free space on the disk that contains the data folder, for services that store data there. */
export interface DiskState {
  /** Whether only the reserved space is left. If true, services must not store more data. */
  readonly isFull: boolean;
  /** Whether this many bytes can be stored without using the reserved space. */
  hasSpaceFor(bytes: number): boolean;
}

/** The state that services receive if the disk isn't monitored. */
export const spaciousDisk: DiskState = { isFull: false, hasSpaceFor: () => true };

/** Throws ENOSPC, the error for a full disk, if only the reserved disk space is left or `bytes` don't fit. */
export function rejectIfFull(disk: DiskState, bytes = 0): void {
  if (disk.isFull || !disk.hasSpaceFor(bytes))
    throw Object.assign(new Error('Only the reserved disk space is left'), { code: 'ENOSPC' });
}

export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

const MiB = 1024 * 1024;
/** The reserve must have space for at least two new WAL segments. */
const minReserve = 48 * MiB;
const maxReserve = 1024 * MiB;

/**
 * Returns the number of bytes that are never used for data. This number is `wanted` if set, and otherwise 5% of the
 * disk within `minReserve` and `maxReserve`.
 */
export const reserveOf = (
  { totalBytes }: Pick<DiskSpace, 'totalBytes'>,
  wanted: number | undefined,
): number => wanted ?? Math.min(maxReserve, Math.max(minReserve, totalBytes / 20));
