/**
 * Manages the memory and the disk space for large responses, and the folder for their temporary files. Small responses
 * bypass this module (see {@link FREE_BYTES}).
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Overflow } from '../../../platform/database/types.ts';
import { ROW_SEPARATOR } from '../core/result.ts';
import { restError } from '../errors.ts';
import { type ResponseQuota, StoredResponse } from './stored-response.ts';

export interface ResponseLimits {
  /** The maximum size of one response. */
  readonly responseBytes: number;
  /** The maximum total size of all temporary files. */
  readonly totalBytes: number;
}

/**
 * Responses up to this size don't count toward the limits, because the client's socket buffers about the same amount.
 */
const FREE_BYTES = 64 * 1024;
/**
 * The limit on the memory for one response, and on the memory for all responses larger than {@link FREE_BYTES}
 * together.
 */
const MEMORY_PER_ANSWER_BYTES = 4 * 1024 * 1024;
const MEMORY_BYTES = 64 * 1024 * 1024;
/** Memory is reserved in steps of this size to avoid a reservation per row. */
const STEP_BYTES = 256 * 1024;
/**
 * The disk space that must remain free, because PostgreSQL stops when its disk is full. On a small disk, it is
 * sufficient if 1/20 of the disk remains free.
 */
const SPARE_DISK_BYTES = 1024 * 1024 * 1024;
const SPARE_DISK_PART = 20;

const NOTHING = Buffer.alloc(0);

export class ResponseStorage implements ResponseQuota {
  readonly #limits: () => ResponseLimits;
  /** Stores the rows of a statement that returns one JSON text per row. */
  readonly rows = this.#overflow(0, ROW_SEPARATOR);
  /**
   * Stores the body of a statement that returns one row. The body is the third column of reads and calls, and the
   * fourth column of writes.
   */
  readonly summary = this.#overflow(2, NOTHING);
  readonly writeSummary = this.#overflow(3, NOTHING);
  /** Stores generated documents, which are written in chunks. */
  readonly document = this.#overflow(0, NOTHING);
  readonly #dir: string;
  #memoryBytes = 0;
  #fileBytes = 0;
  #files = 0;
  #prepared: Promise<void> | undefined;

  /**
   * Creates the storage. `dir` is the folder for the files. The folder is created on first use, and only processes of
   * the same server may use it.
   */
  constructor(dir: string, limits: () => ResponseLimits) {
    this.#dir = dir;
    this.#limits = limits;
  }

  get limits(): ResponseLimits {
    return this.#limits();
  }

  /** The number of bytes that responses currently use in memory and in files. */
  get used(): { readonly memoryBytes: number; readonly fileBytes: number } {
    return { memoryBytes: this.#memoryBytes, fileBytes: this.#fileBytes };
  }

  #overflow(column: number, separator: Buffer): Overflow {
    return {
      column,
      freeBytes: FREE_BYTES,
      open: (flow, signal) => new StoredResponse(this, separator, flow, signal),
    };
  }

  /**
   * Reserves at least `sizeBytes` for a response that has already reserved `heldBytes`. Returns the new total for the
   * response, or undefined if the limit is reached.
   */
  reserveMemory(heldBytes: number, sizeBytes: number): number | undefined {
    const requested = Math.min(Math.ceil(sizeBytes / STEP_BYTES) * STEP_BYTES, MEMORY_PER_ANSWER_BYTES);
    if (requested < sizeBytes || this.#memoryBytes + requested - heldBytes > MEMORY_BYTES) return undefined;
    this.#memoryBytes += requested - heldBytes;
    return requested;
  }

  releaseMemory(bytes: number): void {
    this.#memoryBytes -= bytes;
  }

  /** Reserves file space. @throws {RestError} PGRSTX02 if the limit for all files is reached */
  reserveFile(bytes: number): void {
    if (this.#fileBytes + bytes > this.limits.totalBytes) {
      throw restError('PGRSTX02', { details: 'Too many large responses are in progress.' });
    }
    this.#fileBytes += bytes;
  }

  releaseFile(bytes: number): void {
    this.#fileBytes -= bytes;
  }

  /** Opens a temporary file without a name. The operating system removes the file even if this process crashes. */
  async openFile(): Promise<FileHandle> {
    this.#prepared ??= this.#prepare();
    await this.#prepared;
    const path = join(this.#dir, `${process.pid}-${++this.#files}`);
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await unlink(path);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  /** Checks the free disk space. @throws {RestError} PGRSTX02 if the disk is nearly full */
  async checkDisk(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#dir);
    if (bavail * bsize > Math.min(SPARE_DISK_BYTES, (blocks * bsize) / SPARE_DISK_PART)) return;
    throw restError('PGRSTX02', { details: 'The disk is almost full.' });
  }

  /** Deletes files of a process that crashed before it could unlink them. */
  async #prepare(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#dir))
      if (!isRunning(Number.parseInt(name, 10))) await rm(join(this.#dir, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
