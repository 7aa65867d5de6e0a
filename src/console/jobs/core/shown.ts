/**
 * Returns the parts of a request that operators without the `secrets` permission may see: the URL's origin and the
 * header names. The path is hidden because it often contains a secret in webhook URLs (Slack, Discord).
 */
import type { ShownPair } from '../contract.ts';

/**
 * Returns the URL, or only its origin if the operator can't see secrets.
 * @example
 * shownUrl('https://hooks.slack.com/services/T0/B0/x', false); // 'https://hooks.slack.com/…'
 */
export function shownUrl(url: string, maySeeSecrets: boolean): string {
  if (maySeeSecrets) return url;
  // Text that isn't a URL can contain secrets anywhere.
  return URL.canParse(url) && /^https?:/i.test(url) ? `${new URL(url).origin}/…` : '…';
}

/** Returns a JSON object's fields in order. The values are null if the operator can't see secrets. */
export function shownPairs(
  pairs: Readonly<Record<string, unknown>> | null,
  maySeeSecrets: boolean,
): ShownPair[] {
  return Object.entries(pairs ?? {}).map(([name, value]) => [
    name,
    maySeeSecrets ? (typeof value === 'string' ? value : JSON.stringify(value)) : null,
  ]);
}
