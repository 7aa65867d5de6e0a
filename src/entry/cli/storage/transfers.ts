/** Runs transfers in parallel and shows their progress. */
import { oneLine, sizeText } from '../../../base/shared/printable.ts';

const quietMs = 1_000;
const intervalMs = 200;

interface Progress {
  line(text: string): void;
  /** Increases the total number of bytes that must be transferred. */
  expect(bytes: number): void;
  /** Increases the number of bytes that have been transferred. The argument is negative if bytes must be sent again. */
  add(bytes: number): void;
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Creates a progress display.
 *
 * @param verb the word that is printed before the sizes, such as `Uploaded`
 */
export function createProgress(
  verb: string,
  output: Output = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  let total = 0;
  let done = 0;
  let isShown = false;
  const startedMs = now();
  let drawnMs = startedMs + quietMs - intervalMs;
  const clear = () => {
    if (isShown) output.write('\r\u001b[K');
    isShown = false;
  };
  return {
    line(text) {
      clear();
      output.write(`${oneLine(text)}\n`);
    },
    expect(bytes) {
      total += bytes;
    },
    add(bytes) {
      done += bytes;
      if (output.isTTY !== true || now() - drawnMs < intervalMs) return;
      drawnMs = now();
      output.write(`\r\u001b[K${verb} ${sizeText(done)} of ${sizeText(Math.max(total, done))}`);
      isShown = true;
    },
    end: clear,
  };
}

/** Processes items in parallel, `jobs` at a time. After a failure, doesn't start further items. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  jobs: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let reading: Promise<unknown> = Promise.resolve();
  let hasFailed = false;
  // Reads the items one at a time, because the pages of a listing must be read in sequence.
  const take = (): Promise<IteratorResult<T>> => {
    const next = reading.then(() => iterator.next());
    reading = next.catch(() => undefined);
    return next;
  };
  const worker = async (): Promise<void> => {
    try {
      while (!hasFailed) {
        const { done, value } = await take();
        if (done === true) return;
        await work(value);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: jobs }, worker));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
