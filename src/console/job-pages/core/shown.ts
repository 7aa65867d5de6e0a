/**
 * What operators who may read no secrets see of requests: where to, and which headers, never what is in them. The path of a
 * webhook's address is often its password (Slack, Discord), so that only the origin is left of it.
 */

/** `[name, value]`; null for a value that is hidden. */
export type ShownPair = readonly [name: string, value: string | null];

/**
 * @example
 * shownUrl('https://hooks.slack.com/services/T0/B0/x', false); // 'https://hooks.slack.com/…'
 */
export function shownUrl(url: string, maySeeSecrets: boolean): string {
  if (maySeeSecrets) return url;
  // Text that is no address could be anything.
  return URL.canParse(url) && /^https?:/i.test(url) ? `${new URL(url).origin}/…` : '…';
}

/** Of a JSON object, in its order. */
export function shownPairs(
  pairs: Readonly<Record<string, unknown>> | null,
  maySeeSecrets: boolean,
): ShownPair[] {
  return Object.entries(pairs ?? {}).map(([name, value]) => [
    name,
    maySeeSecrets ? (typeof value === 'string' ? value : JSON.stringify(value)) : null,
  ]);
}
