/**
 * Masks the passwords of URLs in a text. A password may contain characters that should have been percent-encoded, such
 * as `@`, `/`, `?` and `#`. In that case, the end of the password is ambiguous, and more than the password is masked.
 */

const mask = '••••••';
const startsWithUrl = /^\s*[a-z][a-z\d+.-]*:\/\//i;

/**
 * @example maskPasswords('postgres://me:p@ss@host/db') // 'postgres://••••••@host/db'
 * @example maskPasswords('me:p@ss@host') // 'me:••••••@host'
 */
export function maskPasswords(text: string): string {
  // If the text is a single URL, the password can also contain spaces. Otherwise, a space ends a URL.
  if (startsWithUrl.test(text) && text.split('://').length === 2) return maskWord(text);
  return text.replaceAll(/\S+/g, maskWord);
}

/** Masks the passwords in every key and string of a value, and returns the value as JSON. */
export const maskedJson = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string') return maskPasswords(item);
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, each]) => [maskPasswords(key), each]));
  });

function maskWord(word: string): string {
  const colon = word.indexOf(':');
  return word.startsWith('://', colon) ? maskUserInfo(word, colon + 3) : maskAfterColon(word, colon);
}

/** Masks the user information, which begins at `start` and can contain a password (RFC 3986, section 3.2.1). */
function maskUserInfo(word: string, start: number): string {
  const rest = word.slice(start);
  const toLastAt = rest.slice(0, Math.max(0, rest.lastIndexOf('@')));
  // Without a colon, the URL has only a user name, and an `@` can be part of the path, as in `https://host/@name`.
  const end = toLastAt.includes(':') ? toLastAt.length : rest.split(/[/?#]/, 1)[0]?.lastIndexOf('@');
  return end === undefined || end < 0 ? word : `${word.slice(0, start)}${mask}${rest.slice(end)}`;
}

/** Without a scheme, a password is recognized by the colon before it and the `@` after it. */
function maskAfterColon(word: string, colon: number): string {
  const at = word.lastIndexOf('@');
  return colon === -1 || at < colon ? word : `${word.slice(0, colon + 1)}${mask}${word.slice(at)}`;
}
