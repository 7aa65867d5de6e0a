/**
 * Adds security headers to every response on the API port, regardless of what a service or an app's user has set. The
 * cookies of the Account pages belong to the same origin, so users' documents must not run scripts in this origin. See
 * docs/decisions/0029-user-documents.md.
 */
import type { Documents } from '../../kernel/service.ts';
import { isInert, parseMediaType } from './media-type.ts';

/** Headers as alternating names and values, in the format of `writeHead`. The same name can occur more than once. */
type Head = readonly unknown[];

/**
 * The policy that puts a document in a sandbox. Without `allow-same-origin`, the sandboxed document has an opaque
 * origin. Without `allow-scripts`, the document can't run scripts.
 */
const sandbox = 'sandbox';

const ownCookiePrefix = '(?:__Host-|__Secure-)?plinth-';

/** Matches the cookies of the Account pages and the Console, which all ports and paths of a host share. */
const ownCookie = new RegExp(`^${ownCookiePrefix}`, 'i');
/**
 * Matches a `Set-Cookie` header that sets a cookie of the Account pages or the Console. Leading equals signs are
 * included, because a browser sends only the value of a nameless cookie, which could then be mistaken for another
 * cookie's name.
 */
const settingOwnCookie = new RegExp(`^[\\s=]*${ownCookiePrefix}`, 'i');

/**
 * Returns the head with the security headers added and unsafe headers removed.
 *
 * @example
 * safeHead(200, ['content-type', 'text/html'], 'users');
 * // ['content-type', 'text/html', 'x-content-type-options', 'nosniff', 'content-security-policy', 'sandbox']
 */
export function safeHead(status: number, head: Head, documents: Documents): unknown[] {
  const safe: unknown[] = [];
  let type: unknown;
  let types = 0;
  for (let index = 0; index + 1 < head.length; index += 2) {
    const name = String(head[index]);
    const value = head[index + 1];
    // The length is compared first because this code runs for each header of each response.
    switch (name.length) {
      case 10:
        if (documents !== 'plinth' && isNamed(name, 'set-cookie') && settingOwnCookie.test(String(value)))
          continue;
        break;
      case 12:
        if (isNamed(name, 'content-type')) {
          type = value;
          types += 1;
        }
        break;
      case 15:
        // A `Clear-Site-Data` header would sign all users of the browser out of the Account pages.
        if (documents !== 'plinth' && isNamed(name, 'clear-site-data')) continue;
        break;
      case 22:
        if (isNamed(name, 'x-content-type-options')) continue;
        break;
    }
    safe.push(name, value);
  }
  safe.push('x-content-type-options', 'nosniff');
  if (
    documents === 'users' &&
    !(types === 0 ? hasNoContent(status) : types === 1 && isInertText(String(type)))
  )
    safe.push('content-security-policy', sandbox);
  return safe;
}

const isNamed = (name: string, expected: string): boolean =>
  name === expected || name.toLowerCase() === expected;

/**
 * Whether a response with this status has no content (RFC 9110, section 15). A 304 response without a media type
 * doesn't change the response that the browser has cached.
 */
const hasNoContent = (status: number): boolean => status === 204 || status === 304 || status < 200;

const maxKnownTypes = 500;
const knownTypes = new Map<string, boolean>();

function isInertText(text: string): boolean {
  const known = knownTypes.get(text);
  if (known !== undefined) return known;
  const type = parseMediaType(text);
  const inert = type !== undefined && isInert(type);
  if (knownTypes.size >= maxKnownTypes) knownTypes.clear();
  knownTypes.set(text, inert);
  return inert;
}

/** Returns a `Cookie` header without Plinth's own cookies, or undefined if no cookies remain. */
export function withoutOwnCookies(header: string): string | undefined {
  const kept = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !ownCookie.test(pair));
  return kept.length === 0 ? undefined : kept.join('; ');
}

/** Returns the head of a response that is written directly to a socket. */
export function rawHead(status: number, reason: string, head: Head): string {
  const safe = safeHead(status, head, 'users');
  const lines = [`HTTP/1.1 ${status} ${reason}`];
  for (let index = 0; index < safe.length; index += 2) lines.push(`${safe[index]}: ${safe[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
