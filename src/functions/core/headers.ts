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

/** The host of the address that the function sees. */
export function hostOf(headers: IncomingHttpHeaders): string {
  const forwarded = headers['x-forwarded-host'];
  return typeof forwarded === 'string' ? forwarded : (headers.host ?? 'localhost');
}
