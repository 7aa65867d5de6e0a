/** Headers that are forwarded to and from a function, and headers that belong to a single connection. */
import type { IncomingHttpHeaders } from 'node:http';

/** Headers that belong to a single connection (RFC 9110 section 7.6.1) and must not be forwarded. */
export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/**
 * Whether the host consists of only a host name or address with an optional port. Any other value would make the
 * function's `new URL(request.url)` throw or resolve to a different path.
 */
const isReadable = (host: string | undefined): boolean =>
  host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/`);

/**
 * Returns the host in the URL that the function sees, which is the host that the first of several proxies received. The
 * gateway removes forwarded headers unless they come from a trusted proxy.
 */
export function hostOf(headers: IncomingHttpHeaders): string {
  const forwarded = [headers['x-forwarded-host'] ?? []].flat().join().split(',', 1)[0]?.trim();
  return [forwarded, headers.host].find(isReadable) ?? 'localhost';
}
