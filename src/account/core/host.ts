/**
 * An app's address for people: the host of a web page, the scheme of an app on the device (RFC 8252, section 7.1);
 * undefined when there is nothing to say (`web/account/flow.ts` says the same).
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
