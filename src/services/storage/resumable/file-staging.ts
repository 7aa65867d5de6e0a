/**
 * Stores unfinished uploads as local files. The file `ID` contains the received bytes, and `ID.json` contains the
 * metadata. The length of the file `ID` is the offset, so after a crash, an upload resumes where the file ends. Bytes
 * are synced before their offset is sent to the client.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DiskState, rejectIfFull, spaciousDisk } from '../../../base/kernel/disk.ts';
import { isMissing, syncDirectory } from '../backend/file-system.ts';
import type { ObjectBackend } from '../backend/types.ts';
import { freeChunk } from '../byte-stream.ts';
import { receive, type Writer } from './receive.ts';
import type { StagedUpload, Staging } from './types.ts';

/** Network chunks are collected into batches of this size before they are written. */
const writeBatchBytes = 256 * 1024;
const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function createFileStaging(
  directory: string,
  backend: Pick<ObjectBackend, 'storeFile' | 'write'>,
  disk: DiskState = spaciousDisk,
): Staging {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const bytesOf = (id: string): string => join(directory, checked(id));
  const noteOf = (id: string): string => `${bytesOf(id)}.json`;

  /** Stores changed metadata so that it survives a power failure. */
  async function save(upload: StagedUpload): Promise<void> {
    const draft = `${bytesOf(upload.id)}.draft`;
    await writeFile(draft, JSON.stringify(upload), { mode: 0o600, flush: true });
    await rename(draft, noteOf(upload.id));
    await syncDirectory(directory);
  }
  const isIdle = async (id: string, beforeMs: number): Promise<boolean> => {
    const found = await Promise.all([bytesOf(id), noteOf(id)].map((path) => ifThere(stat(path))));
    return found.every((stats) => stats === undefined || stats.mtimeMs < beforeMs);
  };

  return {
    async create(upload) {
      rejectIfFull(disk);
      await writeFile(bytesOf(upload.id), '', { flag: 'wx', mode: 0o600 });
      await save(upload);
    },
    async find(id) {
      const text = await ifThere(readFile(noteOf(id), 'utf8'));
      return text === undefined ? undefined : (JSON.parse(text) as StagedUpload);
    },
    async setSize(upload, sizeBytes) {
      const changed = { ...upload, sizeBytes };
      await save(changed);
      return changed;
    },
    async offset(id) {
      return (await ifThere(stat(bytesOf(id))))?.size;
    },
    async append(id, body, { offset, maxBytes, signal }) {
      const handle = await open(bytesOf(id), 'r+');
      try {
        const writer = createWriter(handle, offset, disk);
        const end = await receive(body, writer, maxBytes, signal);
        await writer.flush();
        await handle.datasync();
        return { offset: writer.position(), end };
      } finally {
        await handle.close();
      }
    },
    async attempt(upload) {
      // Each attempt uses a new version, because the bytes of a failed attempt are removed separately.
      const version = randomUUID();
      await save({ ...upload, storedAs: version });
      const path = bytesOf(upload.id);
      return {
        version,
        newVersions: [version],
        store: async () =>
          backend.storeFile
            ? backend.storeFile(version, path)
            : backend.write(version, createReadStream(path), upload.sizeBytes ?? 0),
      };
    },
    async removeBytes(id) {
      await ifThere(unlink(bytesOf(id)));
    },
    async remove(id) {
      // The metadata is removed last, because bytes without metadata would never be found.
      await ifThere(unlink(bytesOf(id)));
      await ifThere(unlink(`${bytesOf(id)}.draft`));
      await ifThere(unlink(noteOf(id)));
    },
    isIdle,
    async idleSince(beforeMs) {
      const names = await readdir(directory);
      const ids = new Set(names.map((name) => name.slice(0, 36)).filter((name) => idPattern.test(name)));
      const idle = [];
      for (const id of ids) if (await isIdle(id, beforeMs)) idle.push(id);
      return idle;
    },
    inBackend: async () => [],
  };
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
