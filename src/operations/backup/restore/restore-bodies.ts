/** Restores object bodies. A missing or damaged body doesn't stop the restore. */
import { firstCause } from '../../../base/shared/errors.ts';
import { bodyName } from '../core/names.ts';
import { BackupError } from '../errors.ts';
import type { Repository } from '../repository.ts';
import type { BodyStore } from '../types.ts';

export interface RestoredBodies {
  readonly objects: number;
  readonly objectBytes: number;
  /** The object versions in rows for which the backup contains no bytes. */
  readonly missing: readonly string[];
  /** The object versions whose bytes are damaged in the backup. These bytes aren't written to the data folder. */
  readonly damaged: readonly string[];
}

const concurrentBodies = 8;

export async function restoreBodies(
  repository: Pick<Repository, 'read'>,
  store: Pick<BodyStore, 'write'>,
  versions: ReadonlySet<string>,
  /** The sizes of the encrypted object bodies, which are slightly larger than the original bodies. */
  storedBytes: ReadonlyMap<string, number>,
): Promise<RestoredBodies> {
  const missing: string[] = [];
  const damaged: string[] = [];
  let objects = 0;
  let objectBytes = 0;
  let isFailed = false;

  async function restoreOne(version: string): Promise<void> {
    let sizeBytes = 0;
    // If reading the body fails, the store may report a different error.
    const cause = firstCause();
    async function* read(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of cause.watch(bytes)) {
        sizeBytes += chunk.length;
        yield chunk;
      }
    }
    try {
      const maxBytes = storedBytes.get(version);
      const bytes = maxBytes === undefined ? undefined : await repository.read(bodyName(version));
      if (maxBytes === undefined || bytes === undefined) {
        missing.push(version);
        return;
      }
      await store.write(version, read(bytes), maxBytes);
    } catch (error) {
      const first = cause.of(error);
      if (!isDamage(first)) throw first;
      damaged.push(version);
      return;
    }
    objects += 1;
    objectBytes += sizeBytes;
  }

  const queue = versions.values();
  const work = async (): Promise<void> => {
    for (const version of queue) {
      if (isFailed) return;
      try {
        await restoreOne(version);
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  // Waits for all writes, because the caller closes the store after this function returns.
  const ends = await Promise.allSettled(Array.from({ length: concurrentBodies }, work));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return { objects, objectBytes, missing, damaged };
}

const isDamage = (error: unknown): boolean => error instanceof BackupError && error.code === 'damaged';
