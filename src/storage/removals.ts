/** Removes objects: first the rows, then the bytes. */
import { change } from './changes.ts';
import { deleteObjects, type ObjectRow } from './queries/objects.ts';
import type { Scope } from './scope.ts';
import type { StorageService } from './service.ts';

/** Deletes the objects that the caller's policies allow. Their bytes are removed after the commit. */
export function removeObjects(
  service: StorageService,
  scope: Scope,
  bucketId: string,
  keys: readonly string[],
): Promise<ObjectRow[]> {
  return change(service, [], (change) => {
    change.committing();
    return scope.asUser(async (tx) => {
      const deleted = await deleteObjects(tx, bucketId, keys);
      await change.giveUp(deleted.map((row) => row.version));
      return deleted;
    });
  });
}
