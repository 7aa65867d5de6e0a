/**
 * The archiver's rounds. Each round takes the received WAL, uploads all object bodies in the journal, and stores the
 * WAL. Only then does a round remove the object bodies of deleted rows.
 */
import type { Archiver } from './archive/archiver.ts';
import type { Bodies } from './bodies.ts';
import type { JournalFiles } from './journal.ts';
import type { BodyStore } from './types.ts';

export interface Rounds {
  /** Runs a round after the current round has ended. Returns the time up to which the archive is complete. */
  run(archiver: Archiver | undefined): Promise<number | undefined>;
}

export function createRounds(journal: JournalFiles, bodies: Bodies, store: BodyStore): Rounds {
  let last: Promise<unknown> = Promise.resolve();
  const round = async (archiver: Archiver | undefined): Promise<number | undefined> => {
    const taken = await archiver?.take();
    const entries = journal.read();
    // Also uploads removed object bodies, because another process's journal file may have been read before that process
    // recorded that it had stored these bodies.
    await bodies.upload([...entries.stored, ...entries.removed]);
    const completeMs = await taken?.store();
    if (entries.removed.length > 0) await store.remove(entries.removed);
    entries.done();
    return completeMs;
  };
  return {
    run(archiver) {
      const next = last.then(() => round(archiver));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
