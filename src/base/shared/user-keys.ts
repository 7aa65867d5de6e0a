/**
 * The text of users' API keys (decision 142): `plinth_uk_`, 40 random letters and digits, and a checksum of 6 digits of a
 * CRC-32 in base 62. Secret scanners recognize a key by its prefix, and the checksum distinguishes a key from similar text
 * without a query.
 */
import { crc32 } from 'node:zlib';

export const userKeyPrefix = 'plinth_uk_';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 40;
const checksumLength = 6;
const pattern = new RegExp(`^${userKeyPrefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** The number of first characters that lists show, so that users recognize a key. */
const shownLength = userKeyPrefix.length + 4;

/** Creates a key. @param random returns this many random bytes */
export function createUserKey(random: (size: number) => Uint8Array): string {
  let text = '';
  // Bytes from 248 on are skipped, because they would make the first 8 digits more likely.
  while (text.length < randomLength)
    for (const byte of random(randomLength))
      if (byte < 248 && text.length < randomLength) text += digits[byte % digits.length];
  return userKeyPrefix + text + checksum(text);
}

/** Whether the text is a key with a valid checksum. The key may be unknown. */
export function isUserKey(text: string): boolean {
  if (!pattern.test(text)) return false;
  const end = text.length - checksumLength;
  return checksum(text.slice(userKeyPrefix.length, end)) === text.slice(end);
}

export const beginningOfUserKey = (key: string): string => key.slice(0, shownLength);

/** Removes the secret part of each key. */
export const hideUserKeys = (text: string): string =>
  text.replace(/plinth_uk_[0-9A-Za-z]+/g, `${userKeyPrefix}...`);

function checksum(text: string): string {
  let rest = crc32(text);
  let out = '';
  for (let index = 0; index < checksumLength; index++) {
    out = digits[rest % digits.length] + out;
    rest = Math.floor(rest / digits.length);
  }
  return out;
}
