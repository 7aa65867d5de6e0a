/**
 * Expires multipart uploads that are neither completed nor aborted. Works like S3's lifecycle action
 * AbortIncompleteMultipartUpload, but the time counts from the last received part.
 */
import { change } from './changes.ts';
import { deleteIdleUpload, listIdleUploads, lockUpload } from './queries/multipart.ts';
import { serverContext } from './scope.ts';
import type { StorageService } from './service.ts';

/** The number of uploads per query. */
const batchSize = 100;

/** Aborts uploads idle for the configured time: first their rows, then their parts. Returns the number of uploads. */
export async function expireMultipartUploads(service: StorageService, signal: AbortSignal): Promise<number> {
  const before = new Date(service.clock.now() - service.multipartLifetimeMs);
  let expired = 0;
  for (let after = ''; !signal.aborted; ) {
    const ids = await service.database.asRequest(
      serverContext(),
      (tx) => listIdleUploads(tx, before, after, batchSize),
      { readOnly: true },
    );
    for (const id of ids) {
      if (signal.aborted) break;
      if (await expire(service, id, before)) expired += 1;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < batchSize) break;
    after = last;
  }
  return expired;
}

/** Returns false if a part has arrived or the upload has ended in the meantime. */
function expire(service: StorageService, id: string, before: Date): Promise<boolean> {
  return change(service, [], (change) => {
    change.committing();
    return service.database.asRequest(serverContext(), async (tx) => {
      // Parts are written under the same lock: a new part is either visible to the next statement or finds the upload
      // gone.
      if (!(await lockUpload(tx, id))) return false;
      const version = await deleteIdleUpload(tx, id, before);
      if (version === undefined) return false;
      await change.giveUp([version]);
      return true;
    });
  });
}
