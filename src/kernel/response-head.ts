/**
 * What the head of every response on the API's port must say, whatever a service or a user of the app chose: the origin has the
 * cookies of the Account pages, so no document of a user's may run a script as that origin.
 * Why: docs/decisions/0029-user-documents.md.
 */
import { isInert, parseMediaType } from './media-type.ts';

/**
 * Who wrote the documents of a mount. `users`: users of the app, or code and SQL that may repeat what they wrote; they're shown
 * in a sandbox. `operator`: server functions whose operator serves pages on purpose (`[edge_runtime] html = "page"`). `plinth`: our
 * own pages, which have policies of their own.
 */
export type Documents = 'users' | 'operator' | 'plinth';

/** Names and values in turn, as `writeHead` takes them; a name may be there more than once. */
export type Head = readonly unknown[];

/** Without `allow-same-origin` the document's origin is opaque; without `allow-scripts` it runs none. */
export const sandbox = 'sandbox';

const ownCookiePrefix = '(?:__Host-|__Secure-)?plinth-';

/** Cookies of the Account pages and the Console, which are shared by all ports and paths of a host. */
const ownCookie = new RegExp(`^${ownCookiePrefix}`, 'i');
/** A browser sends a cookie without a name as its value alone, which then reads as the name of another. */
const settingOwnCookie = new RegExp(`^[\\s=]*${ownCookiePrefix}`, 'i');

/**
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
    // By length first, because this runs for each header of each response.
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
        // It would sign everyone out of the Account pages.
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

const isNamed = (name: string, wanted: string): boolean => name === wanted || name.toLowerCase() === wanted;

/** RFC 9110, section 15: nothing is shown, and a 304 without a type says nothing new about the stored response. */
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

/** A `Cookie` header without our own cookies; undefined when nothing is left. */
export function withoutOwnCookies(header: string): string | undefined {
  const kept = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && !ownCookie.test(pair));
  return kept.length === 0 ? undefined : kept.join('; ');
}

/** The head of a response that goes straight to a socket. */
export function rawHead(status: number, reason: string, head: Head): string {
  const safe = safeHead(status, head, 'users');
  const lines = [`HTTP/1.1 ${status} ${reason}`];
  for (let index = 0; index < safe.length; index += 2) lines.push(`${safe[index]}: ${safe[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
