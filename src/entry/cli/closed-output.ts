/** Handles output that can't be written. */
import { constants } from 'node:os';
import { printable } from '../../base/shared/printable.ts';

let isServer = false;
let isEnding = false;

/**
 * Ends the command when nothing reads its output, as in `plinth --help | head`. If the output can't be written for
 * another reason, such as a full disk, and the command doesn't report write errors itself, the reason is printed. A
 * command that cleans up after SIGTERM cleans up first.
 */
export function endAtClosedOutput(): void {
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
