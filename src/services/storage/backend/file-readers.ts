/**
 * Tracks readers of object bodies that consist of several parts. Part files are opened one after another, so a body
 * whose row is deleted is kept until its last reader is done. A body in a single file doesn't need tracking, because an
 * open file can still be read after it has been unlinked.
 */
export interface Readers {
  /**
   * Registers a reader. Returns a function that unregisters the reader and can be called repeatedly. Returns undefined
   * if the body is being removed.
   */
  enter(version: string): (() => void) | undefined;
  /** Rejects new readers, and calls `remove` when the current readers have finished. */
  removeAfter(version: string, remove: () => Promise<void>): Promise<void>;
}

interface Reading {
  readers: number;
  readonly ended: PromiseWithResolvers<void>;
}

export function createReaders(): Readers {
  const reading = new Map<string, Reading>();
  const leaving = new Set<string>();
  return {
    enter(version) {
      if (leaving.has(version)) return undefined;
      const entry = reading.get(version) ?? { readers: 0, ended: Promise.withResolvers<void>() };
      reading.set(version, entry);
      entry.readers += 1;
      let isInside = true;
      return () => {
        if (!isInside) return;
        isInside = false;
        entry.readers -= 1;
        if (entry.readers > 0) return;
        reading.delete(version);
        entry.ended.resolve();
      };
    },
    async removeAfter(version, remove) {
      leaving.add(version);
      try {
        await reading.get(version)?.ended.promise;
        await remove();
      } finally {
        leaving.delete(version);
      }
    },
  };
}
