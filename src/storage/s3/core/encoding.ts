/** S3's percent-encoding: RFC 3986 with uppercase hexadecimal digits. Only unreserved characters aren't encoded. */

/** Returns undefined if the text is malformed or isn't UTF-8. */
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

/** Like {@link percentEncode}, but keeps slashes. */
export function encodePath(path: string): string {
  return percentEncode(path).replaceAll('%2F', '/');
}

/** Encodes keys in responses to `encoding-type=url`: keeps slashes and encodes a space as a plus sign. */
export function encodeListedKey(key: string): string {
  return encodePath(key).replaceAll('%20', '+');
}

export interface QueryPair {
  readonly name: string;
  readonly value: string;
}

/** Parses a query string into ordered pairs. Returns undefined if a pair is malformed. A plus sign is literal. */
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
