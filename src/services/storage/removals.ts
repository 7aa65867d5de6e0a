/** Removes objects. The rows are deleted before the bytes. */
import { change } from './changes.ts';
import type { StorageContext } from './context.ts';
import { deleteObjects, type ObjectRow } from './queries/objects.ts';
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
