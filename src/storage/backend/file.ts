/**
 * Stores objects as files in one folder. A body is written to `partial/`, synced and renamed to its final path, whose
 * folder is then synced. The caller must not commit the row before that, because the row alone determines whether the
 * object exists.
 */
import { createHash, randomUUID } from 'node:crypto';
import { constants, mkdirSync } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteRange } from '../core/range.ts';
import type { Pieces } from '../pieces.ts';
import { describeParts } from './describe-parts.ts';
import { isDirectoryError, isMissing } from './file-errors.ts';
import { assembleParts, openParts } from './file-parts.ts';
import { filePaths, isVersion } from './file-paths.ts';
import { filePieces } from './file-pieces.ts';
import { createReaders, type Readers } from './file-readers.ts';
import { sweepFiles } from './file-sweep.ts';
import { linkOrCopy, moved, removeTree, syncDirectory } from './file-system.ts';
import { createIntentLog } from './intents.ts';
import { createOwners } from './owners.ts';
import { BodyTooLargeError, type ObjectBackend, type OpenBody, type StoredBody } from './types.ts';

/** Network chunks are batched up to this size before writing. */
const writeBatchBytes = 256 * 1024;
/** Bodies up to this size are read into a single buffer. */
const wholeBytes = 64 * 1024;

/** The read size when hashing a file. */
const hashedChunkBytes = 128 * 1024;

export function createFileBackend(root: string, owners = createOwners(join(root, 'owners'))): ObjectBackend {
  const paths = filePaths(root);
  for (const directory of [paths.objects, paths.partial, paths.intents, paths.uploads, paths.orphans]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  const readers = createReaders();
  /**
   * Renames the folder first so that no part can be added while it is being deleted. The sweep also cleans up the new
   * location.
   */
  const removeUpload = async (version: string): Promise<void> => {
    const aside = paths.partialOf(randomUUID());
    if (await moved(paths.upload(version), aside)) await removeTree(aside);
  };
  /** The version belongs to an object or an upload. */
  const remove = (version: string): Promise<void> =>
    readers.removeAfter(version, async () => {
      if (!(await removeTree(paths.object(version)))) await removeUpload(version);
    });
  const intents = createIntentLog(paths.intents, owners, remove);
  const shardsMade = new Set<string>();

  async function makeShard(version: string): Promise<string> {
    const shard = paths.shard(version);
    if (!shardsMade.has(shard)) {
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncDirectory(paths.objects);
      shardsMade.add(shard);
    }
    return shard;
  }

  /** Moves a finished partial file to its final path durably. */
  async function publish(version: string): Promise<void> {
    const shard = await makeShard(version);
    await rename(paths.partialOf(version), paths.object(version));
    await syncDirectory(shard);
  }

  /** Writes and syncs a new file, and removes it on failure. */
  async function writeFile(path: string, body: Pieces, maxBytes: number): Promise<StoredBody> {
    const handle = await open(path, 'wx', 0o600);
    try {
      const written = await writeBody(handle, body, maxBytes);
      await handle.sync();
      await handle.close();
      return written;
    } catch (error) {
      await handle.close();
      await removeTree(path);
      throw error;
    }
  }

  async function write(version: string, body: Pieces, maxBytes: number): Promise<StoredBody> {
    const partial = paths.partialOf(version);
    const written = await writeFile(partial, body, maxBytes);
    try {
      await publish(version);
    } catch (error) {
      await removeTree(partial);
      throw error;
    }
    return written;
  }

  return {
    announce: (versions) => intents.open(versions),

    write,

    async storeFile(version, path) {
      const partial = paths.partialOf(version);
      const stored = await hashAndSync(path);
      try {
        await linkOrCopy(path, partial);
        await publish(version);
      } catch (error) {
        await removeTree(partial);
        throw error;
      }
      return stored;
    },

    async writePart(upload, partId, body, maxBytes) {
      const directory = paths.upload(upload);
      if ((await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined)
        await syncDirectory(paths.uploads);
      const written = await writeFile(paths.part(upload, partId), body, maxBytes);
      await syncDirectory(directory);
      return written;
    },

    async assemble(upload, parts, version) {
      const shard = await makeShard(version);
      const draft = paths.partialOf(version);
      const whole = await assembleParts(paths.upload(upload), draft, paths.object(version), parts);
      if (!whole) return undefined;
      await syncDirectory(shard);
      return describeParts(parts);
    },

    async removeParts(upload, partIds) {
      for (const id of partIds) await removeTree(paths.part(upload, id));
    },

    async copy(fromVersion, toVersion) {
      if (!isVersion(fromVersion)) return undefined;
      const partial = paths.partialOf(toVersion);
      const source = paths.object(fromVersion);
      try {
        await copyFile(source, partial, constants.COPYFILE_FICLONE);
        const stored = await hashAndSync(partial);
        await publish(toVersion);
        return stored;
      } catch (error) {
        await removeTree(partial);
        if (isMissing(error)) return undefined;
        if (!isDirectoryError(error)) throw error;
      }
      const body = await openParts(source, fromVersion, readers);
      if (!body) return undefined;
      try {
        return await write(toVersion, body.pieces(), body.sizeBytes);
      } finally {
        await body.close();
      }
    },

    async open(version) {
      return isVersion(version) ? openBody(paths.object(version), version, readers) : undefined;
    },

    async recover(findLiving) {
      await owners.renew();
      let settledIntents = 0;
      let removedVersions = 0;
      for await (const intent of intents.leftOver()) {
        const living = await findLiving(intent.versions);
        for (const version of intent.versions) {
          await removeTree(paths.partialOf(version));
          if (living.has(version)) continue;
          await remove(version);
          removedVersions += 1;
        }
        await intent.close();
        settledIntents += 1;
      }
      return { settledIntents, removedVersions };
    },

    sweep: (options) => sweepFiles(paths, options),

    async close() {
      await intents.close();
      await owners.close();
    },
  };
}

async function writeBody(handle: FileHandle, body: Pieces, maxBytes: number): Promise<StoredBody> {
  const hash = createHash('md5');
  let sizeBytes = 0;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  const flush = async (): Promise<void> => {
    if (batchBytes === 0) return;
    // Batches are appended at the current position. writev can write fewer bytes than requested.
    const { bytesWritten } = await handle.writev(batch);
    if (bytesWritten < batchBytes) await writeRest(handle, Buffer.concat(batch).subarray(bytesWritten));
    for (const piece of batch) body.release?.(piece);
    batch = [];
    batchBytes = 0;
  };
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw new BodyTooLargeError();
    hash.update(chunk);
    batch.push(chunk);
    batchBytes += chunk.byteLength;
    if (batchBytes >= writeBatchBytes) await flush();
  }
  await flush();
  return { sizeBytes, etag: `"${hash.digest('hex')}"`, lastModified: new Date() };
}

async function writeRest(handle: FileHandle, rest: Buffer): Promise<void> {
  let offset = 0;
  while (offset < rest.byteLength) {
    const { bytesWritten } = await handle.write(rest, offset);
    offset += bytesWritten;
  }
}

async function hashAndSync(path: string): Promise<StoredBody> {
  const handle = await open(path, 'r+');
  try {
    const hash = createHash('md5');
    const buffer = Buffer.allocUnsafe(hashedChunkBytes);
    let sizeBytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, sizeBytes);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      sizeBytes += bytesRead;
    }
    await handle.sync();
    return { sizeBytes, etag: `"${hash.digest('hex')}"`, lastModified: new Date() };
  } finally {
    await handle.close();
  }
}

/** On Windows, opening a folder already fails. */
async function openBody(path: string, version: string, readers: Readers): Promise<OpenBody | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isDirectoryError(error)) return openParts(path, version, readers);
    throw error;
  }
  const stats = await handle.stat();
  if (!stats.isDirectory()) return openFile(handle, stats.size);
  await handle.close();
  return openParts(path, version, readers);
}

function openFile(handle: FileHandle, size: number): OpenBody {
  return {
    sizeBytes: size,
    close: () => handle.close(),
    read: (range) => readBody(handle, range ?? { start: 0, end: size - 1 }),
  };
}

async function readBody(handle: FileHandle, range: ByteRange): Promise<Buffer | Pieces> {
  const length = range.end - range.start + 1;
  if (length > wholeBytes) return filePieces(handle, range);
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, range.start + filled);
      if (bytesRead === 0) throw new Error('The file is shorter than it was when opened');
      filled += bytesRead;
    }
    return buffer;
  } finally {
    await handle.close();
  }
}
