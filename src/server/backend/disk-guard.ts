/**
 * Monitors the free space on the data folder's disk. PostgreSQL exits if it can't write WAL, so the server rejects
 * writes before the disk is full. Reads continue. Writes are accepted again once enough space is free.
 */
import { statfs } from 'node:fs/promises';
import { type DiskSpace, type DiskState, reserveOf } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Health } from '../../base/kernel/service.ts';

const intervalMs = 1000;
/**
 * The interval between measurements while the free space is close to the reserve. A fast upload could use up the
 * reserve within a second.
 */
const hurriedMs = 100;

export interface DiskGuard extends DiskState {
  /**
   * Measures the free space immediately and then at regular intervals. Resolves when the first measurement is complete.
   */
  start(): Promise<void>;
  stop(): void;
  health(): Health;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface DiskGuardOptions {
  readonly dir: string;
  /**
   * Returns the reserve in bytes. If the function returns undefined, the reserve is 5% of the disk, within fixed
   * limits.
   */
  readonly reservedBytes: () => number | undefined;
  /** Called when the state changes. A call that fails is repeated after the next measurement. */
  readonly onChange: (isFull: boolean) => Promise<void>;
  readonly measure?: (dir: string) => Promise<DiskSpace>;
  readonly log: Logger;
}

export function createDiskGuard({
  dir,
  reservedBytes,
  onChange,
  measure: measureSpace = spaceOf,
  log,
}: DiskGuardOptions): DiskGuard {
  let space: DiskSpace = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY };
  let isFull = false;
  /**
   * The state that `onChange` last handled. Undefined while `onChange` runs and after it has failed, because the
   * database may then be in either state.
   */
  let handled: boolean | undefined = false;
  let isSwitching = false;
  let isFirst = true;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const measure = async (): Promise<void> => {
    try {
      space = await measureSpace(dir);
    } catch (error) {
      log.warn({ error }, 'failed to read the free disk space');
      return;
    }
    const reserve = reserveOf(space, reservedBytes());
    const wasFull = isFull;
    isFull = space.freeBytes < (wasFull ? reserve * 1.1 : reserve);
    if (isFull !== wasFull) {
      const fields = { freeBytes: space.freeBytes, reservedBytes: reserve };
      if (isFull) log.error(fields, 'the disk is almost full, so the database is read-only');
      else log.info(fields, 'disk space is available again, so the database accepts writes');
    }
  };
  /**
   * Calls `onChange` with the current state. Measurements don't wait for `onChange`, because the database can take a
   * long time to respond.
   */
  const switchDatabase = async (): Promise<void> => {
    if (handled === isFull || isSwitching) return;
    isSwitching = true;
    handled = undefined;
    try {
      const wanted = isFull;
      await onChange(wanted);
      handled = wanted;
    } catch (error) {
      log.warn({ error }, 'failed to switch the database between read-only and read-write');
    } finally {
      isSwitching = false;
    }
  };
  const measureAndWait = async (): Promise<void> => {
    await measure();
    const switched = switchDatabase();
    if (isFirst) await switched;
    isFirst = false;
    if (isStopped) return;
    const isNear = !isFull && space.freeBytes < 4 * reserveOf(space, reservedBytes());
    timer = setTimeout(() => void measureAndWait(), isNear ? hurriedMs : intervalMs).unref();
  };

  return {
    get isFull() {
      return isFull;
    },
    get freeBytes() {
      return space.freeBytes;
    },
    get totalBytes() {
      return space.totalBytes;
    },
    hasSpaceFor: (bytes) => space.freeBytes - bytes >= reserveOf(space, reservedBytes()),
    start: measureAndWait,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    health() {
      // A switch between read-only and read-write that is still in progress isn't an error, because it may have to wait
      // for a checkpoint.
      if (handled !== isFull && !isSwitching)
        return {
          status: 'failing',
          message: "The database couldn't be switched between read-only and read-write.",
        };
      // Doesn't report an outage, because reads still work and the load balancer should still send requests to this
      // server.
      if (isFull)
        return { status: 'degraded', message: 'The disk is almost full, so the project is read-only.' };
      if (space.freeBytes < 2 * reserveOf(space, reservedBytes()))
        return { status: 'degraded', message: 'The disk is filling up.' };
      return { status: 'ok' };
    },
  };
}

async function spaceOf(dir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
