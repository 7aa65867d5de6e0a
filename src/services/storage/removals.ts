/** Removes objects. The rows are deleted before the bytes. */

import { setTimeout as delay } from 'node:timers/promises';
import { change } from './changes.ts';
import type { StorageContext } from './context.ts';
import { StorageError } from './errors.ts';
import { countObjects, findBucket } from './queries/buckets.ts';
import { deleteObjects, deleteObjectsBefore, type ObjectRow } from './queries/objects.ts';
import type { Scope } from './scope.ts';

/**
 * Deletes the given objects, except those that the caller's policies protect. The bytes are removed after the commit.
 */
export function removeObjects(
  ctx: StorageContext,
  scope: Scope,
  bucketId: string,
  keys: readonly string[],
): Promise<ObjectRow[]> {
  return change(ctx, [], (change) => {
    change.committing();
    return scope.asUser(async (tx) => {
      const deleted = await deleteObjects(tx, bucketId, keys);
      await change.giveUp(deleted.map((row) => row.version));
      return deleted;
    });
  });
}

const batchSize = 500;
const maxObjects = 200_000;
const respondAfterMs = 3000;

/**
 * Empties a bucket in batches. Objects that were created after the request are kept. A small bucket is empty before the
 * response is sent. A large bucket is emptied in the background.
 * @throws {StorageError} NoSuchBucket, BucketTooFull, ResourceReferenced
 */
export async function emptyBucket(ctx: StorageContext, scope: Scope, bucketId: string): Promise<void> {
  const bucket = await scope.asUser((tx) => findBucket(tx, bucketId));
  if (!bucket) throw new StorageError('NoSuchBucket');
  const objects = await scope.asUser((tx) => countObjects(tx, bucketId, maxObjects + 1));
  if ((objects ?? 0) > maxObjects) throw new StorageError('BucketTooFull');
  if (objects === 0) return;

  const before = new Date(ctx.clock.now());
  const emptied = deleteBatches(ctx, scope, bucketId, before);
  void ctx.tasks.run(`empty bucket ${bucketId}`, () => emptied);
  // The client receives an error that occurs before the response, for example if a foreign key references an object.
  await Promise.race([emptied, delay(respondAfterMs, undefined, { ref: false })]);
}

async function deleteBatches(
  ctx: StorageContext,
  scope: Scope,
  bucketId: string,
  before: Date,
): Promise<void> {
  for (;;) {
    const deleted = await change(ctx, [], async (change) => {
      change.committing();
      return scope.asService(async (tx) => {
        const versions = await deleteObjectsBefore(tx, bucketId, before, batchSize);
        await change.giveUp(versions);
        return versions.length;
      });
    });
    if (deleted < batchSize) return;
  }
}
