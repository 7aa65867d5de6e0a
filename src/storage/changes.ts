/**
 * Changes that concern rows and bytes alike. The row decides; bytes without a row are removed, at once when the
 * database has given a clear answer, at the next start when it has not (its connection broke while committing).
 */
import { storing } from './backend-errors.ts';
import { leavesOutcomeOpen } from './database-errors.ts';
import type { StorageService } from './service.ts';

export interface Change {
  /** From here on a failure without an answer from the database leaves the outcome open. */
  committing(): void;
  /** Inside the transaction, before it commits: these versions lose their row. */
  giveUp(versions: readonly (string | null | undefined)[]): Promise<void>;
}

/** Runs a change that may write `newVersion`; settles what is left of it in either case. */
export async function change<T>(
  service: StorageService,
  newVersions: readonly string[],
  work: (change: Change) => Promise<T>,
): Promise<T> {
  const intent = await storing(() => service.backend.announce(newVersions));
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
    void service.tasks.run('remove replaced objects', async () => {
      await intent.settle(given);
      await service.renderer?.drop(given);
    });
    return result;
  } catch (error) {
    const isOpen = committing && leavesOutcomeOpen(error);
    void service.tasks.run('remove refused objects', () =>
      isOpen ? intent.leave() : intent.settle(newVersions),
    );
    throw error;
  }
}
