/** Determines which headers of requests and responses are forwarded between a client and a function. */
import type { IncomingHttpHeaders } from 'node:http';

/** Headers that apply to a single connection (RFC 9110, section 7.6.1) and must not be forwarded. */
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
 * Whether the host consists of a host name or address and an optional port. With any other host, `new URL(request.url)`
 * in the function would throw an error or return a different path.
 */
const isReadable = (host: string | undefined): boolean =>
  host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/`);

/**
 * Returns the host that the function sees in the request's URL. If the request passed through several proxies, this is
 * the host that the first proxy received. The gateway removes `X-Forwarded-*` headers unless they come from a trusted
 * proxy.
 */
export function hostOf(headers: IncomingHttpHeaders): string {
  const forwarded = [headers['x-forwarded-host'] ?? []].flat().join().split(',', 1)[0]?.trim();
  return [forwarded, headers.host].find(isReadable) ?? 'localhost';
}
