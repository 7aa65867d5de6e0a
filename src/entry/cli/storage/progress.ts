/** Prints one line per file and, on a terminal, the progress of long transfers. */
import { oneLine, sizeText } from '../../../base/shared/printable.ts';

const quietMs = 1_000;
const intervalMs = 200;

export interface Progress {
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
