/** Divides a file with lines into blocks. A block ends with a line break, unless a line is too long or isn't complete. */
import type { FileHandle } from 'node:fs/promises';
import { maxBlockBytes } from './archive-format.ts';
import { createSummary, type Summarized } from './summary.ts';

export interface RawBlock {
  readonly offset: number;
  readonly bytes: Buffer;
}

const newline = 10;

/** Yields the blocks between two positions. */
export async function* rawBlocks(
  file: FileHandle,
  begin: number,
  end: number,
  size: number,
): AsyncGenerator<RawBlock> {
  let offset = begin;
  while (offset < end) {
    let wanted = Math.min(size, end - offset);
    let bytes = await readAt(file, offset, wanted);
    let length = offset + bytes.length >= end ? bytes.length : bytes.lastIndexOf(newline) + 1;
    while (length === 0 && bytes.length === wanted && wanted < maxBlockBytes) {
      wanted = Math.min(maxBlockBytes, wanted * 4, end - offset);
      bytes = await readAt(file, offset, wanted);
      length = offset + bytes.length >= end ? bytes.length : bytes.indexOf(newline) + 1;
    }
    if (bytes.length === 0) return;
    // A line that exceeds the largest block is divided, and its parts can't be parsed.
    const block = length === 0 ? bytes : bytes.subarray(0, length);
    yield { offset, bytes: block };
    offset += block.length;
  }
}

export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

export async function summarizeText(
  text: string,
  pace: () => Promise<void> | undefined,
): Promise<Summarized> {
  const summary = createSummary();
  for (const line of text.split('\n')) {
    if (line !== '') summary.add(line);
    const pause = pace();
    if (pause !== undefined) await pause;
  }
  return summary.result();
}
