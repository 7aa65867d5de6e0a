/**
 * Splits URIs in signed messages without normalizing them, so that the server compares the signed text itself and not a
 * browser's interpretation of the text.
 */

/**
 * Whether the string is an absolute path, or an absolute URI with a slash after the scheme. Accepts the same strings as
 * Go's url.ParseRequestURI.
 */
export function isRequestUri(text: string): boolean {
  if (!/^(?:[a-z][a-z0-9+.-]*:)?\/[^\s\p{Cc}]*$/iu.test(text)) return false;
  return !/^https?:/i.test(text) || URL.canParse(text);
}

export interface UriParts {
  /** The scheme in lowercase, or an empty string if the text is a path. */
  readonly scheme: string;
  /** The host, including the port if the URI contains one. */
  readonly host: string;
  readonly hostname: string;
}

/**
 * Splits a URI into its parts.
 *
 * @example splitUri('https://app.example:8443/x').host // 'app.example:8443'
 */
export function splitUri(uri: string): UriParts {
  const match = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?/i.exec(uri);
  const host = match?.[2]?.replace(/^.*@/s, '') ?? '';
  return { scheme: (match?.[1] ?? '').toLowerCase(), host, hostname: host.replace(/:\d*$/, '') };
}
