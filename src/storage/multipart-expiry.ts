/**
 * Uploads in parts that nobody completes or gives up, as S3's lifecycle action AbortIncompleteMultipartUpload has it, only
 * that the time counts from the last part that came.
 */
import { change } from './changes.ts';
import { deleteIdleUpload, listIdleUploads, lockUpload } from './queries/multipart.ts';
import { serverContext } from './scope.ts';
import type { StorageService } from './service.ts';

/** Uploads that are looked up at a time. */
const batchSize = 100;

/** Gives up what has been idle for the configured time, rows first, parts after; answers how many. */
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

/** False: a part has come meanwhile, or somebody else was quicker to end it. */
function expire(service: StorageService, id: string, before: Date): Promise<boolean> {
  return change(service, [], (change) => {
    change.committing();
    return service.database.asRequest(serverContext(), async (tx) => {
      // A part is written under the same lock: it is seen by the next statement, or finds the upload gone.
      if (!(await lockUpload(tx, id))) return false;
      const version = await deleteIdleUpload(tx, id, before);
      if (version === undefined) return false;
      await change.giveUp([version]);
      return true;
    });
  });
}
