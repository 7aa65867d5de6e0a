/**
 * Implements S3's percent-encoding (RFC 3986 with uppercase hexadecimal digits). All characters except the unreserved
 * ones are encoded.
 */

/** Decodes text. Returns undefined if the text is malformed or isn't UTF-8. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Encodes text.
 *
 * @example
 * percentEncode("a b'(ü)/"); // 'a%20b%27%28%C3%BC%29%2F'
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Percent-encodes a string like {@link percentEncode}, except that slashes are kept. */
export function encodePath(path: string): string {
  return percentEncode(path).replaceAll('%2F', '/');
}

/**
 * Encodes keys in responses to requests with `encoding-type=url`. Slashes are kept, and a space becomes a plus sign.
 */
export function encodeListedKey(key: string): string {
  return encodePath(key).replaceAll('%20', '+');
}

export interface QueryPair {
  readonly name: string;
  readonly value: string;
}

/**
 * Parses a query string into ordered pairs. A plus sign isn't decoded to a space. Returns undefined if a pair is
 * malformed.
 */
export function parseQuery(query: string): QueryPair[] | undefined {
  const pairs: QueryPair[] = [];
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = percentDecode(equals < 0 ? pair : pair.slice(0, equals));
    const value = percentDecode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push({ name, value });
  }
  return pairs;
}
