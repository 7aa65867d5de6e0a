/**
 * Runs changes that affect both database rows and stored bytes. Rows are authoritative. If the outcome of the
 * transaction is known, bytes without a row are removed immediately. If the connection failed during the commit, the
 * outcome is unknown, and the next startup removes bytes without a row.
 */

import { isFullDisk } from './backend/file-system.ts';
import { BodyTooLargeError } from './backend/types.ts';
import type { StorageContext } from './context.ts';
import { leavesOutcomeOpen } from './database-errors.ts';
import { StorageError } from './errors.ts';

export interface Change {
  /**
   * Must be called before the commit. If the connection to the database then fails before a response arrives, the
   * outcome of the transaction is unknown.
   */
  committing(): void;
  /** Must be called in the transaction that removes the rows of these versions. */
  giveUp(versions: readonly (string | null | undefined)[]): Promise<void>;
}

/**
 * Runs a change that can write the bytes of `newVersions`. The intent for the change is settled after the transaction.
 */
export async function change<T>(
  ctx: StorageContext,
  newVersions: readonly string[],
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const intent = await storing(() => ctx.backend.announce(newVersions));
  const given: string[] = [];
  let committing = false;
  try {
    const result = await work({
      committing() {
        committing = true;
      },
      async giveUp(versions) {
        const present = versions.filter((version) => typeof version === 'string');
        given.push(...present);
        await intent.giveUp(present);
      },
    });
    void ctx.tasks.run('remove replaced objects', async () => {
      await intent.settle(given);
      await ctx.renderer?.drop(given);
    });
    return result;
  } catch (error) {
    const isOpen = committing && leavesOutcomeOpen(error);
    void ctx.tasks.run('remove refused objects', () =>
      isOpen ? intent.leave() : intent.settle(newVersions),
    );
    throw error;
  }
}

/**
 * Runs `work` on the backend and converts its errors to entries of the error table. All other errors are rethrown
 * unchanged.
 * @throws {StorageError} EntityTooLarge, InsufficientSpace
 */
export async function storing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BodyTooLargeError)
      throw new StorageError('EntityTooLarge', undefined, { cause: error });
    if (isFullDisk(error)) throw new StorageError('InsufficientSpace', undefined, { cause: error });
    throw error;
  }
}
