/**
 * Stores one large response, first in memory and then in a file. If the disk is slower than the database, the database
 * connection is paused so that only a few blocks are in memory at a time.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Cancellation, RowFlow, RowStore } from '../../../platform/database/types.ts';
import { RestError, restError } from '../errors.ts';

const BLOCK_BYTES = 256 * 1024;
/** The maximum number of blocks queued for the disk. */
const MAX_QUEUED_BLOCKS = 2;
/** File space is reserved in steps of this size. */
const STEP_BYTES = 1024 * 1024;
const DISK_CHECKED_EVERY_BYTES = 64 * 1024 * 1024;
const READ_BYTES = 128 * 1024;

/** The limits that all stored responses share. Reserved bytes are released exactly once. */
export interface ResponseQuota {
  readonly limits: { readonly responseBytes: number };
  /**
   * Reserves memory. Returns the number of bytes that are reserved after the call, which is at least `sizeBytes`.
   * Returns undefined if a limit is exceeded.
   */
  reserveMemory(heldBytes: number, sizeBytes: number): number | undefined;
  releaseMemory(bytes: number): void;
  /** Reserves file space. @throws {RestError} PGRSTX02 if the limit for all files is reached */
  reserveFile(bytes: number): void;
  releaseFile(bytes: number): void;
  openFile(): Promise<FileHandle>;
  /** Checks the free disk space. @throws {RestError} PGRSTX02 if the disk is nearly full */
  checkDisk(): Promise<void>;
}

export class StoredResponse implements RowStore {
  cells = 0;
  sizeBytes = 0;
  failure: unknown;
  readonly #space: ResponseQuota;
  readonly #separator: Buffer;
  readonly #flow: RowFlow;
  readonly #signal: Cancellation | undefined;
  #heldMemory = 0;
  #heldFile = 0;
  /** The block that is currently being filled. */
  #block: Buffer = Buffer.alloc(0);
  #filled = 0;
  /** The full blocks that haven't been written yet. The first of these blocks is being written. */
  readonly #waiting: Buffer[] = [];
  readonly #spare: Buffer[] = [];
  #writing: Promise<void> | undefined;
  #paused = false;
  #file: FileHandle | undefined;
  #written = 0;
  #readers = 0;
  #freed = false;

  constructor(space: ResponseQuota, separator: Buffer, flow: RowFlow, signal: Cancellation | undefined) {
    this.#space = space;
    this.#separator = separator;
    this.#flow = flow;
    this.#signal = signal;
  }

  keep(sizeBytes: number): number | undefined {
    const held = this.#space.reserveMemory(this.#heldMemory, sizeBytes);
    if (held === undefined) this.#space.releaseMemory(this.#heldMemory);
    this.#heldMemory = held ?? 0;
    return held;
  }

  begin(sizeBytes: number): void {
    if (this.failure !== undefined || this.#freed) return;
    const separator = this.cells > 0 ? this.#separator.length : 0;
    try {
      this.#take(this.sizeBytes + separator + sizeBytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (separator > 0) this.write(this.#separator, 0, separator);
    this.cells++;
  }

  write(buffer: Buffer, start: number, end: number): void {
    if (this.failure !== undefined || this.#freed) return;
    this.sizeBytes += end - start;
    for (let offset = start; offset < end; ) {
      if (this.#filled === this.#block.length && !this.#nextBlock()) return;
      const copied = buffer.copy(this.#block, this.#filled, offset, end);
      this.#filled += copied;
      offset += copied;
    }
  }

  async finish(): Promise<void> {
    if (this.#filled > 0) this.#nextBlock();
    await this.#writing;
    if (this.failure !== undefined) throw this.failure;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const file = this.#file;
    if (file === undefined) return;
    this.#readers++;
    try {
      const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
      for (let offset = 0; offset < this.sizeBytes && !this.#freed; ) {
        const { bytesRead } = await file.read(buffer, 0, READ_BYTES, offset);
        if (bytesRead === 0) throw new Error(`a stored response ends at byte ${offset} of ${this.sizeBytes}`);
        offset += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      this.#readers--;
      this.#close();
    }
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    this.#space.releaseMemory(this.#heldMemory);
    this.#close();
  }

  /** Reserves file space for a response of at least this size. */
  #take(sizeBytes: number): void {
    const { responseBytes } = this.#space.limits;
    if (sizeBytes > responseBytes) {
      throw restError('PGRSTX01', {
        details: `It is larger than ${responseBytes} bytes.`,
        hint: 'Request fewer rows at a time with limit and offset.',
      });
    }
    if (sizeBytes <= this.#heldFile) return;
    const step = Math.max(sizeBytes - this.#heldFile, STEP_BYTES);
    this.#space.reserveFile(step);
    this.#heldFile += step;
  }

  /** Starts a new block. Returns false if the request was canceled. */
  #nextBlock(): boolean {
    if (this.#signal?.aborted === true) {
      this.#fail(this.#signal.reason);
      return false;
    }
    if (this.#filled > 0) {
      this.#waiting.push(this.#block.subarray(0, this.#filled));
      this.#writing ??= this.#writeOut();
      if (this.#waiting.length > MAX_QUEUED_BLOCKS && !this.#paused) {
        this.#paused = true;
        this.#flow.pause();
      }
    }
    this.#block = this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#filled = 0;
    return true;
  }

  /** Writes the queued blocks. Never rejects. An error is stored as the response's failure. */
  async #writeOut(): Promise<void> {
    try {
      this.#file ??= await this.#space.openFile();
      for (let block = this.#waiting[0]; block !== undefined; block = this.#waiting[0]) {
        if (this.#freed || this.failure !== undefined) break;
        if (this.#written % DISK_CHECKED_EVERY_BYTES < block.length) await this.#space.checkDisk();
        await writeAll(this.#file, block, this.#written);
        this.#written += block.length;
        this.#waiting.shift();
        if (block.length === BLOCK_BYTES) this.#spare.push(block);
        if (this.#waiting.length < MAX_QUEUED_BLOCKS) this.#resume();
      }
    } catch (error) {
      this.#fail(error instanceof RestError ? error : notWritten(error));
    }
    this.#writing = undefined;
    this.#waiting.length = 0;
    this.#resume();
    if (this.#freed) this.#close();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#flow.resume();
  }

  #fail(error: unknown): void {
    if (this.failure !== undefined || this.#freed) return;
    this.failure = error;
    this.#block = Buffer.alloc(0);
    this.#filled = 0;
    this.#resume();
    this.#flow.refuse();
  }

  /** Closes the file and releases its reserved space after all reads and writes have finished. */
  #close(): void {
    if (!this.#freed || this.#writing !== undefined || this.#readers > 0) return;
    const file = this.#file;
    this.#file = undefined;
    this.#block = Buffer.alloc(0);
    const held = this.#heldFile;
    this.#heldFile = 0;
    if (file === undefined) this.#space.releaseFile(held);
    else void file.close().finally(() => this.#space.releaseFile(held));
  }
}

async function writeAll(file: FileHandle, block: Buffer, position: number): Promise<void> {
  for (let offset = 0; offset < block.length; ) {
    const { bytesWritten } = await file.write(block, offset, block.length - offset, position + offset);
    offset += bytesWritten;
  }
}

const notWritten = (cause: unknown) =>
  restError('PGRSTX02', { details: 'The response could not be written to a file.', cause });
