/**
 * Who reads a body that came in parts. Its files are opened one after the other, so one that loses its row meanwhile stays
 * until its last reader has gone. A body of one file needs none of this: an open file outlives its name.
 */
export interface Readers {
  /** The answer ends the reading, and may be called more than once. Undefined: the body is being removed. */
  enter(version: string): (() => void) | undefined;
  /** Lets nobody in any more, and removes when those inside have left. */
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
