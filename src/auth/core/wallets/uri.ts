/** URIs as wallets sign them, taken apart by letter: what was signed is compared, not what a browser makes of it. */

/** An absolute URI with a slash after its scheme, or an absolute path: what Go's url.ParseRequestURI takes. */
export function isRequestUri(text: string): boolean {
  if (!/^(?:[a-z][a-z0-9+.-]*:)?\/[^\s\p{Cc}]*$/iu.test(text)) return false;
  return !/^https?:/i.test(text) || URL.canParse(text);
}

export interface UriParts {
  /** Lower case; empty for a path. */
  readonly scheme: string;
  /** With the port, if it names one. */
  readonly host: string;
  readonly hostname: string;
}

/** @example splitUri('https://app.example:8443/x').host // 'app.example:8443' */
export function splitUri(uri: string): UriParts {
  const match = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?/i.exec(uri);
  const host = match?.[2]?.replace(/^.*@/s, '') ?? '';
  return { scheme: (match?.[1] ?? '').toLowerCase(), host, hostname: host.replace(/:\d*$/, '') };
}
