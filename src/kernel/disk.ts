/** Reports the free space on the disk that contains the data folder, for services that store data there. */
export interface DiskState {
  /** Whether only the reserve is left. If so, no more data may be stored. */
  readonly isFull: boolean;
  /** Whether this many bytes fit without using up the reserve. */
  hasSpaceFor(bytes: number): boolean;
}

/** The state that is used if the disk isn't monitored. */
export const spaciousDisk: DiskState = { isFull: false, hasSpaceFor: () => true };

/** Throws ENOSPC, the error for a full disk, if only the reserved disk space is left. */
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
 * Returns the number of bytes that are never used for data. This is `wanted` if set, or otherwise 5% of the disk,
 * within the limits above.
 */
export const reserveOf = (
  { totalBytes }: Pick<DiskSpace, 'totalBytes'>,
  wanted: number | undefined,
): number => wanted ?? Math.min(maxReserve, Math.max(minReserve, totalBytes / 20));
