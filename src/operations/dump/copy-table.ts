/** Copies rows from one server to another without an intermediate file. */
import { hash } from 'node:crypto';
import type { CopySession } from '../../platform/database/index.ts';

export interface CopiedTable {
  readonly rows: number;
  readonly bytes: number;
  /** A hash of all rows that doesn't depend on their order. */
  readonly hash: string;
}

const blockBytes = 128 * 1024;

/**
 * Runs COPY TO STDOUT on the source and COPY FROM STDIN on the target. Reading from the source stops while the target
 * is busy, so that only a few blocks are in memory.
 */
export async function copyTable(
  source: CopySession,
  target: CopySession,
  statements: { readonly from: string; readonly to: string },
  onProgress: (copied: Omit<CopiedTable, 'hash'>) => void = () => {},
): Promise<CopiedTable> {
  const blocks = new BlockQueue();
  const content = new ContentHash();
  let rows = 0;
  let bytes = 0;
  const reading = source
    .copyOut(statements.from, (buffer, start, end) => {
      rows += 1;
      bytes += end - start;
      content.add(buffer.subarray(start, end));
      const full = blocks.push(buffer, start, end);
      if (full !== undefined) onProgress({ rows, bytes });
      return full;
    })
    .then(
      () => blocks.end(),
      (error: Error) => blocks.fail(error),
    );
  try {
    await target.copyIn(statements.to, blocks.read());
  } finally {
    blocks.discard();
    await reading;
  }
  return { rows, bytes, hash: content.text() };
}

/**
 * Reads a table with COPY and discards the rows. PostgreSQL doesn't plan a query for COPY, so it doesn't evaluate index
 * expressions.
 */
export async function readTable(session: CopySession, statement: string): Promise<CopiedTable> {
  const content = new ContentHash();
  let rows = 0;
  let bytes = 0;
  await session.copyOut(statement, (buffer, start, end) => {
    rows += 1;
    bytes += end - start;
    content.add(buffer.subarray(start, end));
    return undefined;
  });
  return { rows, bytes, hash: content.text() };
}

/** Computes the sum of the hashes of all rows. */
class ContentHash {
  #high = 0;
  #low = 0;

  add(row: Uint8Array): void {
    const digest = hash('sha1', row, 'buffer');
    this.#high = (this.#high + digest.readUInt32LE(0)) % 2 ** 48;
    this.#low = (this.#low + digest.readUInt32LE(4)) % 2 ** 48;
  }

  text(): string {
    return `${this.#high.toString(16)}-${this.#low.toString(16)}`;
  }
}

/** Collects rows into blocks. The writer waits until the reader has taken all complete blocks. */
class BlockQueue {
  #block = Buffer.allocUnsafe(blockBytes);
  #length = 0;
  #ready: Buffer[] = [];
  #ended = false;
  #discarding = false;
  #failure: Error | undefined;
  #wakeReader: (() => void) | undefined;
  #emptied: PromiseWithResolvers<void> | undefined;

  push(buffer: Buffer, start: number, end: number): Promise<void> | undefined {
    if (this.#discarding) return undefined;
    const size = end - start;
    if (this.#length + size > blockBytes) this.#flush();
    if (size > blockBytes) this.#ready.push(Buffer.from(buffer.subarray(start, end)));
    else {
      buffer.copy(this.#block, this.#length, start, end);
      this.#length += size;
    }
    if (this.#ready.length === 0) return undefined;
    this.#wakeReader?.();
    this.#emptied ??= Promise.withResolvers<void>();
    return this.#emptied.promise;
  }

  end(): void {
    this.#flush();
    this.#ended = true;
    this.#wakeReader?.();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#ended = true;
    this.#wakeReader?.();
  }

  /** Discards all remaining rows, so that the COPY statement on the source can finish. */
  discard(): void {
    this.#discarding = true;
    this.#ready = [];
    this.#wakeWriter();
  }

  async *read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const block = this.#ready.shift();
      if (block !== undefined) {
        yield block;
        continue;
      }
      this.#wakeWriter();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
  }

  #wakeWriter(): void {
    this.#emptied?.resolve();
    this.#emptied = undefined;
  }

  #flush(): void {
    if (this.#length === 0) return;
    this.#ready.push(this.#block.subarray(0, this.#length));
    this.#block = Buffer.allocUnsafe(blockBytes);
    this.#length = 0;
  }
}
