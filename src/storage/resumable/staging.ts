/**
 * Stores unfinished uploads as local files: `ID` contains the received bytes and `ID.json` the metadata. The file's
 * length is the offset, so after a crash the upload resumes where the file ends. Bytes are synced before their offset
 * is sent to the client.
 */
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isMissing } from '../backend/file-errors.ts';
import { syncDirectory } from '../backend/file-system.ts';
import type { TusMetadata } from '../core/tus-headers.ts';
import { freeChunk } from '../pieces.ts';

/** The metadata stored when an upload begins. */
export interface StagedUpload {
  /** A UUID. File names only contain this part. */
  readonly id: string;
  readonly bucketId: string;
  readonly key: string;
  /** Undefined while the client hasn't declared it (`Upload-Defer-Length`). */
  readonly sizeBytes?: number;
  readonly metadata: TusMetadata;
  /** The creator, who alone can resume the upload: role and subject, or the signed link's owner. */
  readonly beganBy: string;
  readonly upsert: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The version used in the last attempt to store the object. */
  readonly storedAs?: string;
}

export interface Staging {
  create(upload: StagedUpload): Promise<void>;
  find(id: string): Promise<StagedUpload | undefined>;
  /** Saves changed metadata durably. */
  save(upload: StagedUpload): Promise<void>;
  /** Returns the number of received bytes, or undefined if they were moved to an object. */
  offset(id: string): Promise<number | undefined>;
  /**
   * Appends bytes until the body ends, `maxBytes` bytes were received or the signal is aborted. Received bytes are kept
   * and synced. Returns the new offset and the reason why appending ended.
   */
  append(id: string, body: Readable, limits: AppendLimits): Promise<Appended>;
  /** Returns the path of the bytes. */
  pathOf(id: string): string;
  /** Removes the bytes but keeps the metadata, so a client that missed the response can query the upload. */
  removeBytes(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** When the bytes or the metadata were last written, in milliseconds since the epoch. */
  touchedAt(id: string): Promise<number | undefined>;
  /** Returns the ids of all uploads, including finished ones. */
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

/** Network chunks are batched up to this size before writing. */
const writeBatchBytes = 256 * 1024;
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function createStaging(directory: string): Staging {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const bytesOf = (id: string): string => join(directory, checked(id));
  const noteOf = (id: string): string => `${bytesOf(id)}.json`;

  return {
    async create(upload) {
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
        const writer = createWriter(handle, offset);
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
      // Removes the metadata last. Without it, remaining bytes would never be found.
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
  /** The position of the next byte, including bytes that aren't written yet. */
  position(): number;
  /** Returns undefined if more chunks can be added immediately. */
  add(chunk: Uint8Array): Promise<void> | undefined;
  flush(): Promise<void>;
}

function createWriter(handle: FileHandle, offset: number): Writer {
  let written = offset;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  // Flushes run one after another because the body can end or be stopped while a batch is being written.
  let flushed = Promise.resolve();
  const flush = (): Promise<void> => {
    flushed = flushed.then(writeBatch);
    return flushed;
  };
  const writeBatch = async (): Promise<void> => {
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
 * Copies the body to the writer. A disconnected client counts as a normal end. Uses events because a pending async
 * iterator can't be stopped and would prevent discarding the rest of the body.
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
  if (!idPattern.test(id)) throw new Error('An upload is named by a UUID');
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
