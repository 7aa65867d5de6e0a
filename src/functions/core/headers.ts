/** Which headers go on to a function and back, and which stay with one connection. */
import type { IncomingHttpHeaders } from 'node:http';

/** Headers that belong to one connection (RFC 9110 section 7.6.1) and must not be passed on. */
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

/** A host and perhaps a port: with anything else the function's `new URL(request.url)` would throw, or mean another path. */
const isReadable = (host: string | undefined): boolean =>
  host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/`);

/**
 * The host of the address that the function sees: as the first of several proxies was asked for it. The gateway leaves only
 * what a trusted proxy says.
 */
export function hostOf(headers: IncomingHttpHeaders): string {
  const forwarded = [headers['x-forwarded-host'] ?? []].flat().join().split(',', 1)[0]?.trim();
  return [forwarded, headers.host].find(isReadable) ?? 'localhost';
}
