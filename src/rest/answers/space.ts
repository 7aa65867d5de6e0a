/**
 * Room for large answers: how much of them may wait in memory, how much in files, and the folder of those files. A
 * small answer never comes here (see {@link FREE_BYTES}).
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Overflow } from '../../database/types.ts';
import { ROW_SEPARATOR } from '../core/result.ts';
import { restError } from '../errors.ts';
import { StoredAnswer } from './stored-answer.ts';

export interface AnswerLimits {
  /** Largest answer. */
  readonly answerBytes: number;
  /** Of all files together. */
  readonly totalBytes: number;
}

/** Answers up to this size are not counted: their client's socket holds about as much. */
const FREE_BYTES = 64 * 1024;
/** What one answer may take in memory, and what all above {@link FREE_BYTES} may together. */
const MEMORY_PER_ANSWER_BYTES = 4 * 1024 * 1024;
const MEMORY_BYTES = 64 * 1024 * 1024;
/** Memory is granted in steps, so that not every row asks. */
const STEP_BYTES = 256 * 1024;
/** PostgreSQL stops when its disk is full, so a part of it is left alone: this much, or a twentieth of a small disk. */
const SPARE_DISK_BYTES = 1024 * 1024 * 1024;
const SPARE_DISK_PART = 20;

const NOTHING = Buffer.alloc(0);

export class AnswerSpace {
  readonly limits: AnswerLimits;
  /** For a statement with one JSON text a row. */
  readonly rows = this.#overflow(0, ROW_SEPARATOR);
  /** For a statement with one row whose body is the third cell (reads and calls) or the fourth (writes). */
  readonly summary = this.#overflow(2, NOTHING);
  readonly writeSummary = this.#overflow(3, NOTHING);
  /** For a text of ours, in pieces. */
  readonly document = this.#overflow(0, NOTHING);
  readonly #dir: string;
  #memoryBytes = 0;
  #fileBytes = 0;
  #files = 0;
  #prepared: Promise<void> | undefined;

  /** `dir` is ours alone; it is made when it is first needed. */
  constructor(dir: string, limits: AnswerLimits) {
    this.#dir = dir;
    this.limits = limits;
  }

  /** Bytes in memory and in files right now. */
  get used(): { readonly memoryBytes: number; readonly fileBytes: number } {
    return { memoryBytes: this.#memoryBytes, fileBytes: this.#fileBytes };
  }

  #overflow(column: number, separator: Buffer): Overflow {
    return {
      column,
      freeBytes: FREE_BYTES,
      open: (flow, signal) => new StoredAnswer(this, separator, flow, signal),
    };
  }

  /** What an answer that holds `heldBytes` of memory may hold to have at least `sizeBytes`; undefined: no more. */
  takeMemory(heldBytes: number, sizeBytes: number): number | undefined {
    const wanted = Math.min(Math.ceil(sizeBytes / STEP_BYTES) * STEP_BYTES, MEMORY_PER_ANSWER_BYTES);
    if (wanted < sizeBytes || this.#memoryBytes + wanted - heldBytes > MEMORY_BYTES) return undefined;
    this.#memoryBytes += wanted - heldBytes;
    return wanted;
  }

  giveMemory(bytes: number): void {
    this.#memoryBytes -= bytes;
  }

  /** Throws PGRSTX02. */
  takeFile(bytes: number): void {
    if (this.#fileBytes + bytes > this.limits.totalBytes) {
      throw restError('PGRSTX02', { details: 'Too many large answers are under way.' });
    }
    this.#fileBytes += bytes;
  }

  giveFile(bytes: number): void {
    this.#fileBytes -= bytes;
  }

  /** A file without a name: whatever becomes of this process, it is gone with it. */
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

  /** Throws PGRSTX02 when the disk is nearly full. */
  async checkDisk(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#dir);
    if (bavail * bsize > Math.min(SPARE_DISK_BYTES, (blocks * bsize) / SPARE_DISK_PART)) return;
    throw restError('PGRSTX02', { details: 'The disk is nearly full.' });
  }

  /** What has a name was left by a process that ended before it could take it away. */
  async #prepare(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#dir)) await rm(join(this.#dir, name), { force: true });
  }
}
