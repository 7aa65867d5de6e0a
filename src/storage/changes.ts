/**
 * Changes to both rows and bytes. The row is authoritative. Bytes without a row are removed immediately if the outcome
 * of the transaction is known, or at the next startup if it is unknown (the connection failed during commit).
 */
import { storing } from './backend-errors.ts';
import { leavesOutcomeOpen } from './database-errors.ts';
import type { StorageService } from './service.ts';

export interface Change {
  /**
   * Called before the commit. From then on, a failure without a response from the database leaves the outcome unknown.
   */
  committing(): void;
  /** Called within the transaction: these versions lose their row. */
  giveUp(versions: readonly (string | null | undefined)[]): Promise<void>;
}

/** Runs a change that can write `newVersions` and settles its intent afterward. */
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
