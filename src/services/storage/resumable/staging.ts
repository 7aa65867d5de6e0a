/**
 * Stores unfinished uploads as local files. The file `ID` contains the received bytes, and `ID.json` contains the
 * metadata. The length of the file `ID` is the offset, so after a crash, an upload resumes where the file ends. Bytes
 * are synced before their offset is sent to the client.
 */
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type DiskState, rejectIfFull, spaciousDisk } from '../../../base/kernel/disk.ts';
import { isMissing, syncDirectory } from '../backend/file-system.ts';
import { freeChunk } from '../byte-stream.ts';
import type { TusMetadata } from '../core/tus.ts';

/** The metadata of an upload, which is stored when the upload begins. */
export interface StagedUpload {
  /** The upload's ID, which is a UUID. The name of a file doesn't contain any other data of the upload. */
  readonly id: string;
  readonly bucketId: string;
  readonly key: string;
  /** The total size. Undefined until the client sends the size (`Upload-Defer-Length`). */
  readonly sizeBytes?: number;
  readonly metadata: TusMetadata;
  /**
   * Identifies the creator of the upload by role and subject, or by the signed link's owner. Only the creator can
   * resume the upload.
   */
  readonly beganBy: string;
  readonly upsert: boolean;
  /** The time at which the upload was created, in milliseconds since the epoch. */
  readonly createdAt: number;
  /** The version of the object in the last attempt to store it. */
  readonly storedAs?: string;
}

export interface Staging {
  create(upload: StagedUpload): Promise<void>;
  find(id: string): Promise<StagedUpload | undefined>;
  /** Stores changed metadata so that it survives a power failure. */
  save(upload: StagedUpload): Promise<void>;
  /** Returns the number of received bytes. Returns undefined if the bytes have been moved to an object. */
  offset(id: string): Promise<number | undefined>;
  /**
   * Appends bytes until the body ends, `maxBytes` bytes have been received or the signal is aborted. Received bytes are
   * kept and synced. Returns the new offset and the reason why appending ended.
   */
  append(id: string, body: Readable, limits: AppendLimits): Promise<Appended>;
  /** Returns the path to the file that contains an upload's received bytes. */
  pathOf(id: string): string;
  /**
   * Removes the received bytes but keeps the metadata. A client that didn't receive the last response can therefore
   * still query the upload.
   */
  removeBytes(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** The time at which the bytes or the metadata were last written, in milliseconds since the epoch. */
  touchedAt(id: string): Promise<number | undefined>;
  /** Returns the IDs of all uploads, including finished ones. */
  list(): Promise<string[]>;
}

export interface AppendLimits {
  readonly offset: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export interface Appended {
  readonly offset: number;
  readonly end: 'complete' | 'too large' | 'stopped' | 'broken';
}

/** Network chunks are collected into batches of this size before they are written. */
const writeBatchBytes = 256 * 1024;
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function createStaging(directory: string, disk: DiskState = spaciousDisk): Staging {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const bytesOf = (id: string): string => join(directory, checked(id));
  const noteOf = (id: string): string => `${bytesOf(id)}.json`;

  return {
    async create(upload) {
      rejectIfFull(disk);
      await writeFile(bytesOf(upload.id), '', { flag: 'wx', mode: 0o600 });
      await this.save(upload);
    },
    async find(id) {
      const text = await ifThere(readFile(noteOf(id), 'utf8'));
      return text === undefined ? undefined : (JSON.parse(text) as StagedUpload);
    },
    async save(upload) {
      const draft = `${bytesOf(upload.id)}.draft`;
      await writeFile(draft, JSON.stringify(upload), { mode: 0o600, flush: true });
      await rename(draft, noteOf(upload.id));
      await syncDirectory(directory);
    },
    async offset(id) {
      return (await ifThere(stat(bytesOf(id))))?.size;
    },
    async append(id, body, { offset, maxBytes, signal }) {
      const handle = await open(bytesOf(id), 'r+');
      try {
        const writer = createWriter(handle, offset, disk);
        const end = await pump(body, writer, maxBytes, signal);
        await writer.flush();
        await handle.datasync();
        return { offset: writer.position(), end };
      } finally {
        await handle.close();
      }
    },
    pathOf: bytesOf,
    async removeBytes(id) {
      await ifThere(unlink(bytesOf(id)));
    },
    async remove(id) {
      // The metadata is removed last, because bytes without metadata would never be found.
      await ifThere(unlink(bytesOf(id)));
      await ifThere(unlink(`${bytesOf(id)}.draft`));
      await ifThere(unlink(noteOf(id)));
    },
    async touchedAt(id) {
      const found = await Promise.all([bytesOf(id), noteOf(id)].map((path) => ifThere(stat(path))));
      const times = found.flatMap((stats) => (stats === undefined ? [] : [stats.mtimeMs]));
      return times.length === 0 ? undefined : Math.max(...times);
    },
    async list() {
      const names = await readdir(directory);
      return [...new Set(names.map((name) => name.slice(0, 36)).filter((name) => idPattern.test(name)))];
    },
  };
}

interface Writer {
  /**
   * Returns the position at which the next added byte will be written. The position counts bytes that haven't been
   * written yet.
   */
  position(): number;
  /** Adds a chunk. Returns undefined if more chunks can be added immediately. */
  add(chunk: Uint8Array): Promise<void> | undefined;
  flush(): Promise<void>;
}

function createWriter(handle: FileHandle, offset: number, disk: DiskState): Writer {
  let written = offset;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  // Flushes run one after another, because the body can end while a batch is being written.
  let flushed = Promise.resolve();
  const flush = (): Promise<void> => {
    flushed = flushed.then(writeBatch);
    return flushed;
  };
  const writeBatch = async (): Promise<void> => {
    if (batchBytes > 0) rejectIfFull(disk);
    const chunks = batch;
    const bytes = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, batchBytes);
    const until = written + batchBytes;
    batch = [];
    batchBytes = 0;
    for (let done = 0; written < until; ) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.byteLength - done, written);
      done += bytesWritten;
      written += bytesWritten;
    }
    for (const chunk of chunks) freeChunk(chunk);
    freeChunk(bytes);
  };
  return {
    position: () => written + batchBytes,
    add(chunk) {
      batch.push(chunk);
      batchBytes += chunk.byteLength;
      return batchBytes >= writeBatchBytes ? flush() : undefined;
    },
    flush,
  };
}

/**
 * Copies the request body to the writer. If the client disconnects, the copy ends normally. The function uses events
 * instead of an async iterator because a pending iterator can't be stopped to discard the rest of the body.
 */
function pump(
  body: Readable,
  writer: Writer,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Appended['end']> {
  return new Promise((resolve, reject) => {
    let left = maxBytes;
    const settle = (done: () => void): void => {
      body.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      signal.removeEventListener('abort', onStop);
      done();
    };
    const onEnd = (): void => settle(() => resolve('complete'));
    const onClose = (): void => settle(() => resolve(body.readableEnded ? 'complete' : 'broken'));
    const onStop = (): void => settle(() => resolve('stopped'));
    const onData = (chunk: Uint8Array): void => {
      if (chunk.byteLength > left) {
        settle(() => resolve('too large'));
        return;
      }
      left -= chunk.byteLength;
      const writing = writer.add(chunk);
      if (writing === undefined) return;
      body.pause();
      writing.then(
        () => body.resume(),
        (error: unknown) => settle(() => reject(error)),
      );
    };
    if (signal.aborted) return resolve('stopped');
    if (body.readableEnded) return resolve('complete');
    if (body.destroyed) return resolve('broken');
    signal.addEventListener('abort', onStop, { once: true });
    body.on('end', onEnd).on('close', onClose).on('error', onClose).on('data', onData);
  });
}

function checked(id: string): string {
  if (!idPattern.test(id)) throw new Error('An upload ID must be a UUID');
  return id;
}

async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
