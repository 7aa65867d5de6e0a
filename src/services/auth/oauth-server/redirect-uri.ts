/** Validates the redirect URIs that a client registers (RFC 6749 section 3.1.2). */
import { isDangerousScheme, readsAlike, splitUrl } from '../common/redirects.ts';

/** Returns the problem with a redirect URI, or undefined if the URI is valid. */
export function redirectUriFault(uri: string): string | undefined {
  if (uri === '') return 'redirect URI cannot be empty';
  // The database column stores a comma-separated list of URIs, so a URI that contains a comma would become two URIs.
  if (uri.includes(',')) return 'comma not allowed in redirect URI';
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
  if (split.scheme === 'http' && !['localhost', '127.0.0.1', '::1'].includes(split.hostname)) {
    return 'HTTP scheme only allowed for localhost';
  }
  if (/#./s.test(uri)) return 'fragment not allowed in redirect URI';
  return undefined;
}

/**
 * Whether the client has registered a URI. URIs are compared character by character (RFC 6749 section 3.1.2.3). Also
 * validates the URI, because older rows may contain invalid URIs.
 */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  return registered.includes(uri) && redirectUriFault(uri) === undefined;
}
