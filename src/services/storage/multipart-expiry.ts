/**
 * Expires multipart uploads that clients have neither completed nor aborted. The expiry corresponds to S3's lifecycle
 * action AbortIncompleteMultipartUpload, but its period starts when the last part is received.
 */
import { change } from './changes.ts';
import type { StorageContext } from './context.ts';
import { deleteIdleUpload, listIdleUploads, lockUpload } from './queries/multipart.ts';
import { serverContext } from './scope.ts';

/** The number of uploads that are read per query. */
const batchSize = 100;

/**
 * Aborts uploads that didn't receive a part within the configured time. Deletes the rows first and then the parts.
 * Returns the number of aborted uploads.
 */
export async function expireMultipartUploads(ctx: StorageContext, signal: AbortSignal): Promise<number> {
  const before = new Date(ctx.clock.now() - ctx.multipartLifetimeMs);
  let expired = 0;
  for (let after = ''; !signal.aborted; ) {
    const ids = await ctx.database.asRequest(
      serverContext(),
      (tx) => listIdleUploads(tx, before, after, batchSize),
      { readOnly: true },
    );
    for (const id of ids) {
      if (signal.aborted) break;
      if (await expire(ctx, id, before)) expired += 1;
    }
    const last = ids.at(-1);
    if (last === undefined || ids.length < batchSize) break;
    after = last;
  }
  return expired;
}

/** Expires an upload. Returns false if a part has arrived or the upload has ended since the upload was listed. */
function expire(ctx: StorageContext, id: string, before: Date): Promise<boolean> {
  return change(ctx, [], (change) => {
    change.committing();
    return ctx.database.asRequest(serverContext(), async (tx) => {
      // The rows of parts are written under the same lock, so either the next statement sees the new part, or the
      // request that adds the part finds that the upload no longer exists.
      if (!(await lockUpload(tx, id))) return false;
      const version = await deleteIdleUpload(tx, id, before);
      if (version === undefined) return false;
      await change.giveUp([version]);
      return true;
    });
  });
}
