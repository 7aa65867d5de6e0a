/** Compares redirect URIs of OAuth clients with the registered ones. */
import { loopbackHosts, redirectUriFault, splitUrl } from './redirect-uri.ts';

/** Whether the URI is an HTTP URI of a program on the user's machine. */
export const isLoopbackUri = (uri: string): boolean => {
  const split = splitUrl(uri);
  return split?.scheme === 'http' && loopbackHosts.includes(split.hostname);
};

/**
 * Whether a redirect URI is registered. URIs are compared character by character (RFC 6749 section 3.1.2.3), except that
 * programs on the user's machine can use any port (RFC 8252 section 7.3).
 */
export function matchesRegistered(registered: readonly string[], uri: string): boolean {
  if (redirectUriFault(uri) !== undefined) return false;
  if (registered.includes(uri)) return true;
  return (
    isLoopbackUri(uri) &&
    registered.some((each) => isLoopbackUri(each) && withoutPort(each) === withoutPort(uri))
  );
}

/** @example withoutPort('http://127.0.0.1:4711/callback') // 'http://127.0.0.1/callback' */
const withoutPort = (uri: string): string => uri.replace(/^(http:\/\/(?:[^/?#:[]+|\[[^\]]*\])):\d+/i, '$1');
