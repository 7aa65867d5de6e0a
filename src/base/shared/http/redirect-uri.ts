/** Validates the redirect URIs of OAuth clients, and splits URLs as the auth server does. */

/**
 * Schemes of URLs that a browser executes or displays itself instead of passing them to an app. These schemes are never
 * allowed, even if the allow list contains them.
 */
const dangerousSchemes = new Set([
  'about',
  'blob',
  'data',
  'file',
  'filesystem',
  'javascript',
  'vbscript',
  'view-source',
]);

export function isDangerousScheme(scheme: string): boolean {
  return dangerousSchemes.has(scheme.toLowerCase());
}

export interface SplitUrl {
  readonly scheme: string;
  readonly hostname: string;
  readonly port: string;
  readonly hasAuthority: boolean;
  readonly hasUser: boolean;
}

/** Splits a URL into scheme, host and port as Go does. Returns undefined if Go rejects the URL. */
export function splitUrl(url: string): SplitUrl | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are rejected
  if (/[\u0000-\u0020\u007f\\]/.test(url)) return undefined;
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?/.exec(url);
  const authority = match?.[2] ?? '';
  const host = /^(?:([A-Za-z0-9\-._:~!$&'()*+,;=%]*)@)?(\[[0-9a-fA-F:.%]+\]|[^:@[\]]*)(?::([0-9]*))?$/.exec(
    authority,
  );
  if (!match || !host) return undefined;
  return {
    scheme: (match[1] ?? '').toLowerCase(),
    hostname: (host[2] ?? '').replace(/^\[|\]$/g, ''),
    port: host[3] ?? '',
    hasAuthority: match[2] !== undefined,
    hasUser: host[1] !== undefined,
  };
}

const defaultPorts: Record<string, string> = { http: '80', https: '443' };

/** Whether browsers (WHATWG URL Standard) and Go find the same host and port in an http(s) URL. */
export function readsAlike(url: string, split: SplitUrl): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  const port = split.port === defaultPorts[split.scheme] ? '' : split.port;
  const hostname = parsed.hostname.replace(/^\[|\]$/g, '');
  return hostname === split.hostname.toLowerCase() && parsed.port === port;
}

/**
 * Returns the problem with the redirect URI of an OAuth client, or undefined if the URI is valid (RFC 6749 section
 * 3.1.2). The messages are those of GoTrue 2.196.
 */
export function redirectUriFault(uri: string): string | undefined {
  if (uri === '') return 'redirect URI cannot be empty';
  const split = splitUrl(uri);
  if (split === undefined || /^[^?#]*%(?![0-9a-f]{2})/i.test(uri)) return 'invalid URL format';
  if (split.scheme === '' || split.hostname === '') return 'must have scheme and host';
  if (isDangerousScheme(split.scheme)) {
    return `scheme '${split.scheme}' is not allowed for security reasons`;
  }
  const isHttp = split.scheme === 'http' || split.scheme === 'https';
  // If a browser and this server found different hosts in the URI, the browser would send the authorization code to the
  // wrong server.
  if (!URL.canParse(uri) || (isHttp && !readsAlike(uri, split))) return 'invalid URL format';
  if (split.scheme === 'http' && !loopbackHosts.includes(split.hostname)) {
    return 'HTTP scheme only allowed for localhost';
  }
  if (/#./s.test(uri)) return 'fragment not allowed in redirect URI';
  return undefined;
}

export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '::1'];
