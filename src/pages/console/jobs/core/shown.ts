/**
 * Returns the parts of a request that operators without the `secrets` permission may see: the origin of the URL and the
 * names of the headers. The path is hidden because the paths of webhook URLs often contain a secret (Slack, Discord).
 */
import type { ShownPair } from '../contract.ts';

/**
 * Returns the URL, or only the URL's origin if the operator can't see secrets.
 * @example
 * shownUrl('https://hooks.slack.com/services/T0/B0/x', false); // 'https://hooks.slack.com/…'
 */
export function shownUrl(url: string, maySeeSecrets: boolean): string {
  if (maySeeSecrets) return url;
  // If the text isn't a URL, a secret could be anywhere in it.
  return URL.canParse(url) && /^https?:/i.test(url) ? `${new URL(url).origin}/…` : '…';
}

/** Returns the fields of a JSON object in order. The fields' values are null if the operator can't see secrets. */
export function shownPairs(
  pairs: Readonly<Record<string, unknown>> | null,
  maySeeSecrets: boolean,
): ShownPair[] {
  return Object.entries(pairs ?? {}).map(([name, value]) => [
    name,
    maySeeSecrets ? (typeof value === 'string' ? value : JSON.stringify(value)) : null,
  ]);
}
