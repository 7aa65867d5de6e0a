/**
 * URIs in signed messages, split without normalization, so that the signed text itself is compared and not a browser's
 * interpretation of it.
 */

/**
 * Whether the text is an absolute URI with a slash after its scheme, or an absolute path. Go's url.ParseRequestURI
 * accepts the same texts.
 */
export function isRequestUri(text: string): boolean {
  if (!/^(?:[a-z][a-z0-9+.-]*:)?\/[^\s\p{Cc}]*$/iu.test(text)) return false;
  return !/^https?:/i.test(text) || URL.canParse(text);
}

export interface UriParts {
  /** The scheme in lower case. Empty for a path. */
  readonly scheme: string;
  /** The host, with the port if there is one. */
  readonly host: string;
  readonly hostname: string;
}

/** @example splitUri('https://app.example:8443/x').host // 'app.example:8443' */
export function splitUri(uri: string): UriParts {
  const match = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?/i.exec(uri);
  const host = match?.[2]?.replace(/^.*@/s, '') ?? '';
  return { scheme: (match?.[1] ?? '').toLowerCase(), host, hostname: host.replace(/:\d*$/, '') };
}
