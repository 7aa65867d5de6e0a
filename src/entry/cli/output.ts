/**
 * Prints results to stdout and progress to stderr. Text can contain names from a database, a request or another server,
 * so it never controls the terminal.
 */
import { constants } from 'node:os';
import { Transform, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { oneLine, printable } from '../../base/shared/printable.ts';

/** Prints text for people. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Prints a result for another program, which receives it unchanged. Only a terminal gets it without controls. */
export function printData(text: string): void {
  process.stdout.write(process.stdout.isTTY ? printable(text) : text);
}

export function say(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Returns a stream for a long result, which treats the text like {@link printData}. */
export function dataStream(): Writable {
  if (!process.stdout.isTTY) return process.stdout;
  const decoder = new StringDecoder('utf8');
  const shown = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, printable(decoder.write(chunk))),
    flush: (done) => done(null, printable(decoder.end())),
  });
  shown.pipe(process.stdout);
  return shown;
}

/** Returns a function that prints each step only once, even if several modules report the same step. */
export function progressPrinter(tell: (text: string) => void): (text: string) => void {
  let last: string | undefined;
  return (text) => {
    if (text !== last) tell(text);
    last = text;
  };
}

/** Pads the cells of each column to the width of the column's widest cell. Each row has one line. */
export function columns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(oneLine));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Whether the listeners exist. A process can run several commands. */
let isWatched = false;
let isServer = false;
let isEnding = false;

/**
 * Ends the command when nothing reads its output, as in `plinth --help | head`. If the output can't be written for
 * another reason, such as a full disk, and the command doesn't report write errors itself, the reason is printed. A
 * command that cleans up after SIGTERM cleans up first.
 */
export function endAtClosedOutput(): void {
  if (isWatched) return;
  isWatched = true;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = error.code === 'EPIPE';
    const isReported = process.stdout.listenerCount('error') > 1;
    if (isServer || isEnding || (isReported && !isClosed)) return;
    isEnding = true;
    if (!isClosed) process.stderr.write(`The output can't be written: ${printable(error.message)}\n`);
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(isClosed ? 128 + constants.signals.SIGPIPE : 1);
  });
  // Progress that isn't read doesn't matter.
  process.stderr.on('error', () => undefined);
}

/** Lets a server continue when it writes to a closed pipe, as in `plinth start | head`. */
export function surviveClosedOutput(): void {
  isServer = true;
}
