/** Percent encoding as S3 has it: RFC 3986, upper-case hexadecimal, nothing left plain but unreserved characters. */

/** Undefined: not well formed, or no UTF-8. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * @example
 * percentEncode("a b'(ü)/"); // 'a%20b%27%28%C3%BC%29%2F'
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** As {@link percentEncode}, slashes kept. */
export function encodePath(path: string): string {
  return percentEncode(path).replaceAll('%2F', '/');
}

/** Keys in answers to `encoding-type=url`: slashes kept, a space is a plus sign. */
export function encodeListedKey(key: string): string {
  return encodePath(key).replaceAll('%20', '+');
}

export interface QueryPair {
  readonly name: string;
  readonly value: string;
}

/** The pairs of a query string in its order; undefined when one is not well formed. A plus sign is itself. */
export function parseQuery(query: string): QueryPair[] | undefined {
  const pairs: QueryPair[] = [];
  for (const piece of query.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = percentDecode(equals < 0 ? piece : piece.slice(0, equals));
    const value = percentDecode(equals < 0 ? '' : piece.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push({ name, value });
  }
  return pairs;
}
