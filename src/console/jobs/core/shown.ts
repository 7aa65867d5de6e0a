/**
 * Returns the parts of a request that operators without the `secrets` permission can see: the origin of its URL and the
 * names of its headers. The path is hidden because the path of a webhook URL often serves as a password (Slack,
 * Discord).
 */
import type { ShownPair } from '../contract.ts';

/**
 * Returns the URL, or only its origin if the operator can't see secrets.
 * @example
 * shownUrl('https://hooks.slack.com/services/T0/B0/x', false); // 'https://hooks.slack.com/…'
 */
export function shownUrl(url: string, maySeeSecrets: boolean): string {
  if (maySeeSecrets) return url;
  // Text that isn't a URL can contain secrets in any position.
  return URL.canParse(url) && /^https?:/i.test(url) ? `${new URL(url).origin}/…` : '…';
}

/** Returns the fields of a JSON object in their order. The values are null if the operator can't see secrets. */
export function shownPairs(
  pairs: Readonly<Record<string, unknown>> | null,
  maySeeSecrets: boolean,
): ShownPair[] {
  return Object.entries(pairs ?? {}).map(([name, value]) => [
    name,
    maySeeSecrets ? (typeof value === 'string' ? value : JSON.stringify(value)) : null,
  ]);
}
