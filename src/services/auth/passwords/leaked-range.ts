/**
 * Detects leaked passwords with the SHA-1 hashes that Have I Been Pwned publishes. Requests the hashes by range
 * (https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange), or looks them up in the sorted list that the
 * service's downloader writes. Each line of this list is one `HASH:COUNT`.
 */
import { createHash } from 'node:crypto';

/** Returns the password's SHA-1 hash in uppercase hexadecimal, which is the format that the published lists use. */
export function leakHashOf(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase();
}

/**
 * The length of the hash prefix sent to the service. Hundreds of leaked hashes have the same prefix, so the prefix
 * doesn't identify the password.
 */
export const rangePrefixChars = 5;

/**
 * Whether the range of hashes in the service's response contains the password's hash. Ignores entries with the count 0,
 * which are padding.
 */
export function rangeHolds(response: string, hash: string): boolean {
  const suffix = hash.slice(rangePrefixChars);
  return response.split('\n').some((line) => {
    const [found = '', count = ''] = line.trim().split(':');
    return found.toUpperCase() === suffix && Number(count) > 0;
  });
}

export interface SortedList {
  readonly sizeBytes: number;
  /** Reads up to `length` bytes, starting at `position`. Returns fewer bytes only at the end of the list. */
  read(position: number, length: number): Promise<Buffer>;
}

/** A number of bytes that exceeds the length of every line in the list. */
const windowBytes = 128;

/**
 * Whether the list contains the hash. The binary search needs about forty reads if the list is complete.
 * @throws {Error} if the file isn't a sorted list of hashes
 */
export async function listHolds(list: SortedList, hash: string): Promise<boolean> {
  // If the list contains the hash, the line with the hash starts at a position in [low, high).
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

/** Returns the first line that starts at or after `position`. */
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
    throw new Error('the list of leaked passwords is empty');
  }
  if (begin >= text.length) return undefined;
  const line = text.slice(begin).split('\n', 1)[0] ?? '';
  if (!/^[0-9A-Fa-f]{40}(?::\d+)?\r?$/.test(line)) {
    throw new Error(`the list of leaked passwords contains an invalid line at byte ${from + begin}`);
  }
  return { start: from + begin, text: line };
}
