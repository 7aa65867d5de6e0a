/**
 * Stores objects as files in one folder. A body is written to `partial/` and renamed to its final path, unless it has
 * arrived completely before it is written. Then the file and the parent folder of that path are synced. The caller must commit the row only after these steps, because the row
 * alone determines whether the object exists.
 */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { closeSync, constants, mkdirSync } from 'node:fs';
import { copyFile, mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type DiskState, rejectIfFull, spaciousDisk } from '../../../base/kernel/disk.ts';
import { type ByteStream, chunkBytes } from '../byte-stream.ts';
import { assembleParts, createReaders, openParts, type Readers } from './file-parts.ts';
import { type FilePaths, filePaths, isVersion } from './file-paths.ts';
import {
  isDirectoryError,
  isMissing,
  linkOrCopy,
  moved,
  openFile,
  removeTree,
  syncDirectory,
  syncFile,
  writeAll,
} from './file-system.ts';
import { createIntentLog, type IntentLog } from './intents.ts';
import { fileStream, OpenFile, readWhole } from './open-file.ts';
import { createOwners, type Owners } from './owners.ts';
import { sweepFiles } from './sweep.ts';
import {
  BodyTooLargeError,
  describeParts,
  type Intent,
  type ObjectBackend,
  type OpenBody,
  type Part,
  type RecoveryReport,
  type StoredBody,
  type SweepOptions,
  type SweepReport,
} from './types.ts';

/** Network chunks are collected into batches of this size before they are written. */
const writeBatchBytes = 256 * 1024;
/** The number of bytes per read when a file is hashed. */
const hashedChunkBytes = 128 * 1024;

export const createFileBackend = (
  root: string,
  owners = createOwners(join(root, 'owners')),
  disk: DiskState = spaciousDisk,
): ObjectBackend => new FileBackend(root, owners, disk);

class FileBackend implements ObjectBackend {
  readonly #paths: FilePaths;
  readonly #owners: Owners;
  readonly #intents: IntentLog;
  readonly #readers = createReaders();
  readonly #shardsMade = new Set<string>();
  readonly #disk: DiskState;

  constructor(root: string, owners: Owners, disk: DiskState) {
    this.#disk = disk;
    const paths = filePaths(root);
    for (const directory of [paths.objects, paths.partial, paths.intents, paths.uploads, paths.orphans]) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    }
    this.#paths = paths;
    this.#owners = owners;
    this.#intents = createIntentLog(paths.intents, owners, (version) => this.#remove(version));
  }

  announce(versions: readonly string[]): Promise<Intent> {
    return this.#intents.open(versions);
  }

  async write(version: string, body: ByteStream, maxBytes: number): Promise<StoredBody> {
    const shard = await this.#makeShard(version);
    const target = this.#paths.object(version);
    const draft = this.#paths.partialOf(version);
    const written = await writeFile({ body, maxBytes, target, draft }, this.#disk);
    await syncDirectory(shard);
    return written;
  }

  async storeFile(version: string, path: string): Promise<StoredBody> {
    rejectIfFull(this.#disk, (await stat(path)).size);
    const partial = this.#paths.partialOf(version);
    const stored = await hashAndSync(path);
    try {
      await linkOrCopy(path, partial);
      await this.#publish(version);
    } catch (error) {
      await removeTree(partial);
      throw error;
    }
    return stored;
  }

  async writePart(upload: string, partId: string, body: ByteStream, maxBytes: number): Promise<StoredBody> {
    const directory = this.#paths.upload(upload);
    if ((await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined)
      await syncDirectory(this.#paths.uploads);
    const target = this.#paths.part(upload, partId);
    const written = await writeFile({ body, maxBytes, target }, this.#disk);
    await syncDirectory(directory);
    return written;
  }

  async assemble(upload: string, parts: readonly Part[], version: string): Promise<StoredBody | undefined> {
    rejectIfFull(
      this.#disk,
      parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    );
    const shard = await this.#makeShard(version);
    const draft = this.#paths.partialOf(version);
    const whole = await assembleParts(this.#paths.upload(upload), draft, this.#paths.object(version), parts);
    if (!whole) return undefined;
    await syncDirectory(shard);
    return describeParts(parts);
  }

  async removeParts(upload: string, partIds: readonly string[]): Promise<void> {
    for (const id of partIds) await removeTree(this.#paths.part(upload, id));
  }

  async copy(fromVersion: string, toVersion: string): Promise<StoredBody | undefined> {
    if (!isVersion(fromVersion)) return undefined;
    const partial = this.#paths.partialOf(toVersion);
    const source = this.#paths.object(fromVersion);
    try {
      await copyWithin(this.#disk, source, partial);
      const stored = await hashAndSync(partial);
      await this.#publish(toVersion);
      return stored;
    } catch (error) {
      await removeTree(partial);
      if (isMissing(error)) return undefined;
      if (!isDirectoryError(error)) throw error;
    }
    const body = await openParts(source, fromVersion, this.#readers);
    if (!body) return undefined;
    try {
      return await this.write(toVersion, body.chunks(), body.sizeBytes);
    } finally {
      await body.close();
    }
  }

  async open(version: string): Promise<OpenBody | undefined> {
    return isVersion(version) ? openBody(this.#paths.object(version), version, this.#readers) : undefined;
  }

  async recover(
    findLiving: (versions: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<RecoveryReport> {
    await this.#owners.renew();
    let settledIntents = 0;
    let removedVersions = 0;
    for await (const intent of this.#intents.leftOver()) {
      const living = await findLiving(intent.versions);
      for (const version of intent.versions) {
        await removeTree(this.#paths.partialOf(version));
        if (living.has(version)) continue;
        await this.#remove(version);
        removedVersions += 1;
      }
      await intent.close();
      settledIntents += 1;
    }
    return { settledIntents, removedVersions };
  }

  sweep(options: SweepOptions): Promise<SweepReport> {
    return sweepFiles(this.#paths, options);
  }

  async close(): Promise<void> {
    await this.#intents.close();
    await this.#owners.close();
  }

  /** Removes a version of an object or an upload. */
  #remove(version: string): Promise<void> {
    return this.#readers.removeAfter(version, async () => {
      if (!(await removeTree(this.#paths.object(version)))) await this.#removeUpload(version);
    });
  }

  /**
   * The folder is renamed first, so parts can't be added while it is being deleted. If the deletion is interrupted, the
   * sweep removes the renamed folder.
   */
  async #removeUpload(version: string): Promise<void> {
    const aside = this.#paths.partialOf(randomUUID());
    if (await moved(this.#paths.upload(version), aside)) await removeTree(aside);
  }

  async #makeShard(version: string): Promise<string> {
    const shard = this.#paths.shard(version);
    if (!this.#shardsMade.has(shard)) {
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncDirectory(this.#paths.objects);
      this.#shardsMade.add(shard);
    }
    return shard;
  }

  /** Moves a finished partial file to its final path. When the promise resolves, the move survives a power failure. */
  async #publish(version: string): Promise<void> {
    const shard = await this.#makeShard(version);
    await rename(this.#paths.partialOf(version), this.#paths.object(version));
    await syncDirectory(shard);
  }
}

/** The number of bytes that the copies in progress haven't written yet. */
let copyingBytes = 0;

/** Copies a file if the disk has space for this copy and for all copies in progress. @throws {Error} ENOSPC */
async function copyWithin(disk: DiskState, from: string, to: string): Promise<void> {
  const { size } = await stat(from);
  rejectIfFull(disk, copyingBytes + size);
  copyingBytes += size;
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } finally {
    copyingBytes -= size;
  }
}

interface NewFile {
  readonly body: ByteStream;
  readonly maxBytes: number;
  /** The path of the complete file. */
  readonly target: string;
  /** The path of the file while its body arrives. By default, the same path. */
  readonly draft?: string;
}

/**
 * Writes and syncs a new file. If this fails, the file is removed. If the body arrives completely before anything is
 * written, no draft is needed. A draft is moved before it is synced, because file systems with a journal then write the
 * file and its name in one transaction of the journal instead of two.
 */
async function writeFile(
  { body, maxBytes, target, draft = target }: NewFile,
  disk: DiskState,
): Promise<StoredBody> {
  rejectIfFull(disk);
  const hash = createHash('md5');
  let sizeBytes = 0;
  const batches = batchesOf(body, maxBytes, hash);
  try {
    let batch = await nextBatch(batches);
    let path = batch.isLast ? target : draft;
    const fd = await openFile(path, 'wx', 0o600);
    try {
      try {
        for (;;) {
          rejectIfFull(disk);
          await writeAll(fd, batch.chunks);
          for (const chunk of batch.chunks) body.release?.(chunk);
          sizeBytes += batch.sizeBytes;
          if (batch.isLast) break;
          batch = await nextBatch(batches);
        }
        if (path !== target) {
          await rename(path, target);
          path = target;
        }
        await syncFile(fd);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      await removeTree(path);
      throw error;
    }
  } finally {
    await batches.return(undefined);
  }
  return { sizeBytes, etag: `"${hash.digest('hex')}"`, lastModified: new Date() };
}

interface Batch {
  readonly chunks: readonly Uint8Array[];
  readonly sizeBytes: number;
  readonly isLast: boolean;
}

/**
 * Collects the chunks of a body into batches, and adds each chunk to the hash when it arrives. The last batch can be
 * empty.
 * @throws {BodyTooLargeError}
 */
async function* batchesOf(body: ByteStream, maxBytes: number, hash: Hash): AsyncGenerator<Batch, undefined> {
  let chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  let totalBytes = 0;
  for await (const chunk of body) {
    totalBytes += chunk.byteLength;
    if (totalBytes > maxBytes) throw new BodyTooLargeError();
    hash.update(chunk);
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes < writeBatchBytes) continue;
    yield { chunks, sizeBytes, isLast: false };
    chunks = [];
    sizeBytes = 0;
  }
  yield { chunks, sizeBytes, isLast: true };
}

async function nextBatch(batches: AsyncGenerator<Batch, undefined>): Promise<Batch> {
  const { value } = await batches.next();
  if (value === undefined) throw new Error('The last batch has already been read');
  return value;
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

/** Opens a body. On Windows, the open call fails if the path is a folder. */
async function openBody(path: string, version: string, readers: Readers): Promise<OpenBody | undefined> {
  let file: OpenFile;
  try {
    file = await OpenFile.open(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (isDirectoryError(error)) return openParts(path, version, readers);
    throw error;
  }
  if (!file.isDirectory) return bodyOf(file);
  file.close();
  return openParts(path, version, readers);
}

function bodyOf(file: OpenFile): OpenBody {
  const { sizeBytes } = file;
  return {
    sizeBytes,
    close: async () => file.close(),
    async read(range = { start: 0, end: sizeBytes - 1 }) {
      const length = range.end + 1 - range.start;
      return length > chunkBytes ? fileStream(file, range) : readWhole(file, range);
    },
  };
}
