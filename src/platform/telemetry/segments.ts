/** Reads log files from the end, newest line first, in blocks so that a large log doesn't block other work. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

export const logFileName = 'plinth.log';
/** The maximum number of log files: `plinth.log`, then `plinth.log.1` (the newest rotated file) and so on. */
export const maxSegments = 8;

const blockBytes = 128 * 1024;

export const segmentPath = (dir: string, number: number): string =>
  join(dir, number === 0 ? logFileName : `${logFileName}.${number}`);

/** Yields the lines of all log files, newest first. Stops after `budgetBytes` bytes have been read. */
export async function* linesBackward(dir: string, budgetBytes: number): AsyncGenerator<string> {
  let left = budgetBytes;
  for (let number = 0; number <= maxSegments && left > 0; number++) {
    let file: FileHandle;
    try {
      file = await open(segmentPath(dir, number));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    try {
      let end = (await file.stat()).size;
      let rest: Buffer = Buffer.alloc(0);
      while (end > 0 && left > 0) {
        const length = Math.min(blockBytes, end);
        const block = Buffer.alloc(length);
        const { bytesRead } = await file.read(block, 0, length, end - length);
        end -= length;
        left -= length;
        const whole = Buffer.concat([block.subarray(0, bytesRead), rest]);
        // The text before the first line break may be the end of a line that begins in an earlier block of the file.
        const first = end === 0 ? -1 : whole.indexOf(10);
        if (end > 0 && first < 0) {
          rest = whole;
          continue;
        }
        rest = whole.subarray(0, first + 1);
        const lines = whole
          .subarray(first + 1)
          .toString('utf8')
          .split('\n');
        for (let index = lines.length - 1; index >= 0; index--) {
          const line = lines[index];
          if (line) yield line;
        }
      }
    } finally {
      await file.close();
    }
  }
}
