/**
 * Finds leaked passwords by the SHA-1 hashes that Have I Been Pwned publishes. The hashes are requested by range
 * (https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange), or looked up in the sorted list that the
 * service's downloader writes, one `HASH:COUNT` per line.
 */
import { createHash } from 'node:crypto';

/** The hash in uppercase hex, as in the lists. */
export function leakHashOf(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase();
}

/** The length of the prefix that is sent to the service. Hundreds of other hashes share it. */
export const rangePrefixChars = 5;

/** Whether the range in the response contains the hash. A count of 0 is padding. */
export function rangeHolds(answer: string, hash: string): boolean {
  const suffix = hash.slice(rangePrefixChars);
  return answer.split('\n').some((line) => {
    const [found = '', count = ''] = line.trim().split(':');
    return found.toUpperCase() === suffix && Number(count) > 0;
  });
}

export interface SortedList {
  readonly sizeBytes: number;
  /** Reads bytes from `position`. Returns fewer at the end of the list. */
  read(position: number, length: number): Promise<Buffer>;
}

/** A number of bytes greater than the length of any line. */
const windowBytes = 128;

/**
 * Runs a binary search, which takes about forty reads in the full list. Throws if the file isn't a sorted list of
 * hashes.
 */
export async function listHolds(list: SortedList, hash: string): Promise<boolean> {
  // The line, if present, starts in [low, high).
  let low = 0;
  let high = list.sizeBytes;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await lineFrom(list, middle);
    if (line === undefined || line.start >= high) {
      high = middle;
      continue;
    }
    const found = line.text.slice(0, hash.length).toUpperCase();
    if (found === hash) return true;
    if (found < hash) low = line.start + 1;
    else high = middle;
  }
  return false;
}

/** Returns the first line that starts at `position` or later. */
async function lineFrom(
  list: SortedList,
  position: number,
): Promise<{ readonly start: number; readonly text: string } | undefined> {
  const from = Math.max(0, position - 1);
  const text = (await list.read(from, 2 * windowBytes)).toString('latin1');
  const begin = position === 0 ? 0 : text.indexOf('\n') + 1;
  const isLast = from + text.length >= list.sizeBytes;
  if (position > 0 && begin === 0) {
    if (isLast) return undefined;
    throw new Error('the list of leaked passwords has no lines');
  }
  if (begin >= text.length) return undefined;
  const line = text.slice(begin).split('\n', 1)[0] ?? '';
  if (!/^[0-9A-Fa-f]{40}(?::\d+)?\r?$/.test(line)) {
    throw new Error(`the list of leaked passwords has a line that is none, at byte ${from + begin}`);
  }
  return { start: from + begin, text: line };
}
