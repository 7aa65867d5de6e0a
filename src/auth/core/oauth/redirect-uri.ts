/** The rule for redirect URIs that a client registers (RFC 6749 section 3.1.2). */
import { isDangerousScheme, readsAlike, splitUrl } from '../redirects.ts';

/** Returns what is wrong with a redirect URI, or undefined. */
export function redirectUriFault(uri: string): string | undefined {
  if (uri === '') return 'redirect URI cannot be empty';
  // The column stores a client's URIs separated by commas, so a comma would split one in two.
  if (uri.includes(',')) return 'comma not allowed in redirect URI';
  const split = splitUrl(uri);
  if (split === undefined || /^[^?#]*%(?![0-9a-f]{2})/i.test(uri)) return 'invalid URL format';
  if (split.scheme === '' || split.hostname === '') return 'must have scheme and host';
  if (isDangerousScheme(split.scheme)) {
    return `scheme '${split.scheme}' is not allowed for security reasons`;
  }
  const isHttp = split.scheme === 'http' || split.scheme === 'https';
  // If a browser read a different host, the code would be sent to the wrong server.
  if (!URL.canParse(uri) || (isHttp && !readsAlike(uri, split))) return 'invalid URL format';
  if (split.scheme === 'http' && !['localhost', '127.0.0.1', '::1'].includes(split.hostname)) {
    return 'HTTP scheme only allowed for localhost';
  }
  if (/#./s.test(uri)) return 'fragment not allowed in redirect URI';
  return undefined;
}

/**
 * Compares character by character (RFC 6749 section 3.1.2.3). Also checks the URI again, because older rows may violate
 * the rule.
 */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  return registered.includes(uri) && redirectUriFault(uri) === undefined;
}
