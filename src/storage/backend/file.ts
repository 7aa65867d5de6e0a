/**
 * Objects as files below one folder. A body goes to `partial/`, is synced, renamed to its place, and the folder that
 * holds it is synced; only then may the caller commit the row, which alone decides what exists.
 */
import { createHash } from 'node:crypto';
import { constants, mkdirSync } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, rename, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../core/range.ts';
import { isMissing } from './file-errors.ts';
import { filePaths, isVersion } from './file-paths.ts';
import { createIntentLog } from './intents.ts';
import { BodyTooLargeError, type ObjectBackend, type OpenBody, type StoredBody } from './types.ts';

/** Chunks of the network are gathered up to this size before they are written. */
const writeBatchBytes = 256 * 1024;
/** Bodies up to this size are answered from one read; larger ones are streamed in pieces of this size. */
const readChunkBytes = 128 * 1024;

export function createFileBackend(root: string): ObjectBackend {
  const paths = filePaths(root);
  for (const directory of [paths.objects, paths.partial, paths.intents]) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }
  const remove = (version: string): Promise<void> => removeFile(paths.object(version));
  const intents = createIntentLog(paths.intents, remove);
  const shardsMade = new Set<string>();

  /** Moves a finished partial file to its place, durably. */
  async function publish(version: string): Promise<void> {
    const shard = paths.shard(version);
    if (!shardsMade.has(shard)) {
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncDirectory(paths.objects);
      shardsMade.add(shard);
    }
    await rename(paths.partialOf(version), paths.object(version));
    await syncDirectory(shard);
  }

  return {
    announce: (versions) => intents.open(versions),

    async write(version, body, maxBytes) {
      const partial = paths.partialOf(version);
      const handle = await open(partial, 'wx', 0o600);
      try {
        const written = await writeBody(handle, body, maxBytes);
        await handle.sync();
        await handle.close();
        await publish(version);
        return written;
      } catch (error) {
        await handle.close();
        await removeFile(partial);
        throw error;
      }
    },

    async copy(fromVersion, toVersion) {
      if (!isVersion(fromVersion)) return undefined;
      const partial = paths.partialOf(toVersion);
      try {
        await copyFile(paths.object(fromVersion), partial, constants.COPYFILE_FICLONE);
        const stored = await hashAndSync(partial);
        await publish(toVersion);
        return stored;
      } catch (error) {
        await removeFile(partial);
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    async open(version) {
      if (!isVersion(version)) return undefined;
      try {
        return await openBody(await open(paths.object(version), 'r'));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    async recover(findLiving) {
      let settledIntents = 0;
      let removedVersions = 0;
      for await (const intent of intents.leftOver()) {
        const living = await findLiving(intent.versions);
        for (const version of intent.versions) {
          await removeFile(paths.partialOf(version));
          if (living.has(version)) continue;
          await remove(version);
          removedVersions += 1;
        }
        await intent.close();
        settledIntents += 1;
      }
      return { settledIntents, removedVersions };
    },

    async close() {},
  };
}

async function writeBody(
  handle: FileHandle,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBody> {
  const hash = createHash('md5');
  let sizeBytes = 0;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  const flush = async (): Promise<void> => {
    if (batchBytes === 0) return;
    // The position is ours: appending one batch after the other. writev may write less than it was given.
    const { bytesWritten } = await handle.writev(batch);
    if (bytesWritten < batchBytes) await writeRest(handle, Buffer.concat(batch).subarray(bytesWritten));
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
    const buffer = Buffer.allocUnsafe(readChunkBytes);
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

async function openBody(handle: FileHandle): Promise<OpenBody> {
  const { size } = await handle.stat();
  return {
    sizeBytes: size,
    close: () => handle.close(),
    read: (range) => readBody(handle, range ?? { start: 0, end: size - 1 }),
  };
}

async function readBody(handle: FileHandle, range: ByteRange): Promise<Buffer | Readable> {
  const length = range.end - range.start + 1;
  if (length > readChunkBytes) {
    return handle.createReadStream({ start: range.start, end: range.end, highWaterMark: readChunkBytes });
  }
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

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a folder for syncing; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
