/**
 * Returns a readable form of an app's URL: the host of a web page, or the scheme of a native app's URL (RFC 8252,
 * section 7.1). Returns undefined for any other URL. `web/account/flow.ts` contains the same function.
 *
 * @example hostOf('com.example.app:/callback') // 'com.example.app'
 */
export function hostOf(address: string | null): string | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  if (protocol === 'http:' || protocol === 'https:') return host;
  const scheme = protocol.slice(0, -1);
  return scheme.includes('.') || address.startsWith('//', protocol.length) ? scheme : undefined;
}
