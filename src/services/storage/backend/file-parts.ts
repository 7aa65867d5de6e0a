/**
 * Stores bodies that arrive in parts (multipart bodies) in the file backend. Parts are stored in `uploads/VERSION/PART`
 * until the upload ends. The finished object is a folder that contains hard links to the object's parts, and a file
 * `parts` that lists the parts in order. A single rename therefore completes a body of any size without copying data.
 * If the rename is interrupted, the parts still exist.
 */
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteStream, releaseChunk } from '../byte-stream.ts';
import type { ByteRange } from '../core/range.ts';
import { isVersion } from './file-paths.ts';
import { isMissing, linkOrCopy, removeTree, syncDirectory } from './file-system.ts';
import { OpenFile, readChunks } from './open-file.ts';
import type { OpenBody, Part } from './types.ts';

const listName = 'parts';

/**
 * Creates the object folder `target` from `parts` in `uploadDir`. `draft` is the path to a temporary folder. Returns
 * false if a part is missing.
 */
export async function assembleParts(
  uploadDir: string,
  draft: string,
  target: string,
  parts: readonly Part[],
): Promise<boolean> {
  await mkdir(draft, { mode: 0o700 });
  try {
    for (const { id } of parts) await linkOrCopy(join(uploadDir, id), join(draft, id));
    const list = await open(join(draft, listName), 'wx', 0o600);
    try {
      await list.writeFile(parts.map(({ id, sizeBytes }) => `${id} ${sizeBytes}\n`).join(''));
      await list.sync();
    } finally {
      await list.close();
    }
    await syncDirectory(draft);
    await rename(draft, target);
    return true;
  } catch (error) {
    await removeTree(draft);
    if (isMissing(error)) return false;
    throw error;
  }
}

interface PartedBody extends OpenBody {
  chunks(range?: ByteRange): ByteStream;
}

/**
 * Opens an object folder as a single body. Returns undefined if the folder or its part list is missing, or if the
 * folder is being removed.
 */
export async function openParts(
  directory: string,
  version: string,
  readers: Readers,
): Promise<PartedBody | undefined> {
  const leave = readers.enter(version);
  if (!leave) return undefined;
  let list: string;
  try {
    list = await readFile(join(directory, listName), 'utf8');
  } catch (error) {
    leave();
    if (isMissing(error)) return undefined;
    throw error;
  }
  const parts = list.split('\n').flatMap((line) => {
    const [id = '', size] = line.split(' ');
    return isVersion(id) ? [{ path: join(directory, id), sizeBytes: Number(size) }] : [];
  });
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const chunks = (range: ByteRange = { start: 0, end: sizeBytes - 1 }): ByteStream => ({
    [Symbol.asyncIterator]: () => readAcross(parts, range, leave),
    release: releaseChunk,
    destroy: leave,
  });
  return { sizeBytes, close: async () => leave(), read: async (range) => chunks(range), chunks };
}

async function* readAcross(
  parts: readonly { readonly path: string; readonly sizeBytes: number }[],
  range: ByteRange,
  leave: () => void,
): AsyncGenerator<Buffer> {
  let offset = 0;
  try {
    for (const { path, sizeBytes } of parts) {
      const start = Math.max(range.start - offset, 0);
      const end = Math.min(range.end - offset, sizeBytes - 1);
      offset += sizeBytes;
      if (start > end) continue;
      yield* readChunks(await OpenFile.open(path), { start, end });
    }
  } finally {
    leave();
  }
}

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
