/**
 * The parts of a request that operators without the `secrets` permission see: the origin of its address and the names of its
 * headers. The path of a webhook's address is often its password (Slack, Discord), so it is hidden.
 */
import type { ShownPair } from '../contract.ts';

/**
 * @example
 * shownUrl('https://hooks.slack.com/services/T0/B0/x', false); // 'https://hooks.slack.com/…'
 */
export function shownUrl(url: string, maySeeSecrets: boolean): string {
  if (maySeeSecrets) return url;
  // Text that isn't an address may contain anything.
  return URL.canParse(url) && /^https?:/i.test(url) ? `${new URL(url).origin}/…` : '…';
}

/** Returns a JSON object's fields in their order. */
export function shownPairs(
  pairs: Readonly<Record<string, unknown>> | null,
  maySeeSecrets: boolean,
): ShownPair[] {
  return Object.entries(pairs ?? {}).map(([name, value]) => [
    name,
    maySeeSecrets ? (typeof value === 'string' ? value : JSON.stringify(value)) : null,
  ]);
}
