/**
 * Memory and disk budgets for large responses, and the folder for their temporary files. Small responses bypass this
 * module (see {@link FREE_BYTES}).
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Overflow } from '../../database/types.ts';
import { ROW_SEPARATOR } from '../core/result.ts';
import { restError } from '../errors.ts';
import { type ResponseQuota, StoredResponse } from './stored-response.ts';

export interface ResponseLimits {
  /** The maximum size of one response. */
  readonly answerBytes: number;
  /** The maximum total size of all temporary files. */
  readonly totalBytes: number;
}

/** Responses up to this size aren't counted because the client's socket buffers about as much. */
const FREE_BYTES = 64 * 1024;
/** The memory limits for one response and for all responses larger than {@link FREE_BYTES}. */
const MEMORY_PER_ANSWER_BYTES = 4 * 1024 * 1024;
const MEMORY_BYTES = 64 * 1024 * 1024;
/** Memory is reserved in steps so that a row doesn't need a reservation each. */
const STEP_BYTES = 256 * 1024;
/** Disk space left free because PostgreSQL stops when its disk is full: this amount, or 1/20 of a small disk. */
const SPARE_DISK_BYTES = 1024 * 1024 * 1024;
const SPARE_DISK_PART = 20;

const NOTHING = Buffer.alloc(0);

export class ResponseStorage implements ResponseQuota {
  readonly limits: ResponseLimits;
  /** Stores the rows of a statement with one JSON text per row. */
  readonly rows = this.#overflow(0, ROW_SEPARATOR);
  /** Stores the body of a statement with one row: the third column (reads and calls) or the fourth (writes). */
  readonly summary = this.#overflow(2, NOTHING);
  readonly writeSummary = this.#overflow(3, NOTHING);
  /** Stores generated documents, which are written in pieces. */
  readonly document = this.#overflow(0, NOTHING);
  readonly #dir: string;
  #memoryBytes = 0;
  #fileBytes = 0;
  #files = 0;
  #prepared: Promise<void> | undefined;

  /** `dir` must not be shared. It is created on first use. */
  constructor(dir: string, limits: ResponseLimits) {
    this.#dir = dir;
    this.limits = limits;
  }

  /** Bytes currently held in memory and in files. */
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
   * Reserves at least `sizeBytes` for a response that already holds `heldBytes`. Returns the new reservation, or
   * undefined if the limit is reached.
   */
  reserveMemory(heldBytes: number, sizeBytes: number): number | undefined {
    const wanted = Math.min(Math.ceil(sizeBytes / STEP_BYTES) * STEP_BYTES, MEMORY_PER_ANSWER_BYTES);
    if (wanted < sizeBytes || this.#memoryBytes + wanted - heldBytes > MEMORY_BYTES) return undefined;
    this.#memoryBytes += wanted - heldBytes;
    return wanted;
  }

  releaseMemory(bytes: number): void {
    this.#memoryBytes -= bytes;
  }

  /** @throws {RestError} PGRSTX02 */
  reserveFile(bytes: number): void {
    if (this.#fileBytes + bytes > this.limits.totalBytes) {
      throw restError('PGRSTX02', { details: 'Too many large answers are under way.' });
    }
    this.#fileBytes += bytes;
  }

  releaseFile(bytes: number): void {
    this.#fileBytes -= bytes;
  }

  /** Opens an unlinked file, which the operating system removes even if this process crashes. */
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

  /** @throws {RestError} PGRSTX02 if the disk is nearly full. */
  async checkDisk(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#dir);
    if (bavail * bsize > Math.min(SPARE_DISK_BYTES, (blocks * bsize) / SPARE_DISK_PART)) return;
    throw restError('PGRSTX02', { details: 'The disk is nearly full.' });
  }

  /** Files that still have a name were left by a process that crashed before it could unlink them. */
  async #prepare(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#dir)) await rm(join(this.#dir, name), { force: true });
  }
}
