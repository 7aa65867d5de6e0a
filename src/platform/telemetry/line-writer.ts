/**
 * Writes lines to a file descriptor without blocking, throwing errors or using unlimited memory. Writes run in a worker
 * thread. The buffer is bounded, and lines that don't fit are dropped and counted. After an error, such as a full disk,
 * the destination is reopened and the write is retried until it succeeds. After that, a line with the number of dropped
 * lines is written.
 */
import { closeSync, openSync, write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The size of a batch. Lines are batched because each write wakes a thread, which costs more than formatting the lines.
 */
const batchBytes = 64 * 1024;
const flushMs = 500;
/**
 * The maximum size of buffered lines. Lines accumulate if the destination is slow, such as a pipe whose reader is busy.
 */
const maxBufferedBytes = 4 * 1024 * 1024;
const retryMs = 1000;
/** The pause before the next attempt if a pipe is full because its reader is busy. */
const busyMs = 10;
/** How long the process waits for the last write before it exits. */
const lastWriteMs = 3000;

export interface Destination {
  /** The path to the file to which lines are appended, or the descriptor of an open stream. */
  readonly target: string | number;
  /**
   * Called after complete lines have been written. Returns true if the file must be opened again, because the path now
   * refers to a different file.
   */
  readonly onWritten?: (bytes: number) => boolean;
  /** Returns the line that reports dropped lines, including its line break. */
  readonly droppedLine: (count: number, reason: string) => string;
}

export class LineWriter {
  readonly #destination: Destination;
  readonly #timer: NodeJS.Timeout;
  #descriptor: number | undefined;
  #lines: string[] = [];
  #bufferedBytes = 0;
  /** The batch that is being written or must be written again. A batch can start in the middle of a line. */
  #batch: Buffer | undefined;
  /** The number of bytes in the current batch that have been written. */
  #writtenBytes = 0;
  #isWriting = false;
  #retryAt = 0;
  #fault: string | undefined;
  #droppedLines = 0;
  /**
   * The number of dropped lines for which no line has been written to the destination yet. `#dropReason` is the reason
   * why these lines were dropped.
   */
  #unreported = 0;
  #dropReason = '';

  /** @throws {Error} if the destination can't be opened the first time */
  constructor(destination: Destination) {
    this.#destination = destination;
    this.#descriptor = open(destination.target);
    this.#timer = setInterval(() => this.#pump(), flushMs);
    this.#timer.unref();
  }

  /** The number of lines that have been dropped since startup. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** The code of the last error, such as ENOSPC. Undefined once lines have been written again. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Adds a line to the buffer. @param line The line, including its line break. */
  write(line: string): void {
    if (this.#bufferedBytes + line.length > maxBufferedBytes) {
      this.#droppedLines += 1;
      this.#unreported += 1;
      this.#dropReason = this.#fault ?? 'the destination was too slow';
      return;
    }
    this.#lines.push(line);
    this.#bufferedBytes += line.length;
    if (this.#bufferedBytes >= batchBytes) this.#pump();
  }

  /**
   * Writes the buffered lines and closes the destination. Lines that the destination doesn't accept within a few
   * seconds are lost.
   */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    const deadline = performance.now() + lastWriteMs;
    while (this.#isWriting && performance.now() < deadline) await sleep(busyMs);
    // A write that hangs may still succeed, so the lines in it aren't written a second time.
    if (this.#isWriting) return;
    let rest = Buffer.concat([this.#batch ?? noBytes, this.#takeLines()]);
    this.#batch = undefined;
    while (rest.length > 0) {
      try {
        this.#descriptor ??= open(this.#destination.target);
        rest = rest.subarray(writeSync(this.#descriptor, rest));
      } catch (error) {
        const isBusy = (error as NodeJS.ErrnoException).code === 'EAGAIN';
        // After the deadline, the lines that haven't been written are lost.
        if (!isBusy || performance.now() > deadline) break;
        await sleep(busyMs);
      }
    }
    this.#close();
  }

  #pump(): void {
    if (this.#isWriting || performance.now() < this.#retryAt) return;
    if (this.#batch === undefined && this.#lines.length === 0 && this.#unreported === 0) return;
    try {
      this.#descriptor ??= open(this.#destination.target);
    } catch (error) {
      this.#failed(error);
      return;
    }
    this.#batch ??= this.#takeLines();
    this.#isWriting = true;
    write(this.#descriptor, this.#batch, (error, written) => {
      this.#isWriting = false;
      if (error === null) this.#wrote(written);
      else this.#failed(error);
    });
  }

  #wrote(written: number): void {
    const batch = this.#batch as Buffer;
    this.#fault = undefined;
    this.#writtenBytes += written;
    this.#batch = written < batch.length ? batch.subarray(written) : undefined;
    if (this.#batch === undefined) {
      const bytes = this.#writtenBytes;
      this.#writtenBytes = 0;
      try {
        if (this.#destination.onWritten?.(bytes) === true) this.#close();
      } catch (error) {
        this.#failed(error);
      }
    }
    if (this.#batch !== undefined || this.#bufferedBytes >= batchBytes) this.#pump();
  }

  #failed(error: unknown): void {
    const { code } = error as NodeJS.ErrnoException;
    // EAGAIN means that a pipe's reader is busy, not that the pipe is broken.
    if (code === 'EAGAIN') {
      setTimeout(() => this.#pump(), busyMs).unref();
      return;
    }
    this.#retryAt = performance.now() + retryMs;
    this.#fault = code ?? String(error);
    this.#close();
  }

  /** Returns the buffered lines, followed by a report about dropped lines. */
  #takeLines(): Buffer {
    if (this.#unreported > 0) {
      this.#lines.push(this.#destination.droppedLine(this.#unreported, this.#dropReason));
      this.#unreported = 0;
    }
    const batch = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#bufferedBytes = 0;
    return batch;
  }

  #close(): void {
    if (this.#descriptor === undefined || typeof this.#destination.target === 'number') return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const noBytes = Buffer.alloc(0);

const open = (target: string | number): number =>
  typeof target === 'number' ? target : openSync(target, 'a', 0o600);
