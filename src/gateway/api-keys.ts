/**
 * The gateway's rule for API keys, which is the same as in the gateway of upstream's local stack. An `Authorization`
 * header is forwarded to the service unless it starts with `Bearer sb_`. If the `Authorization` header is missing or
 * starts with `Bearer sb_`, the `apikey` header applies instead.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../keys/types.ts';

export interface ApiKeyRule {
  /**
   * Returns the `Authorization` header that is passed to the service, or undefined if the request must not have this
   * header.
   */
  authorization(authorization: string | undefined, apikey: string | undefined): string | undefined;
  /** Returns the JWT for an `sb_` key. Returns any other text unchanged. */
  exchange(apikey: string): string;
}

export function createApiKeyRule(
  keys: Pick<Keys, 'anonKey' | 'serviceRoleKey' | 'publishableKey' | 'secretKey' | 'kindOfApiKey'>,
): ApiKeyRule {
  const isSecret = constantTimeEqualTo(() => keys.secretKey);
  const isPublishable = constantTimeEqualTo(() => keys.publishableKey);
  const jwtOf = (apikey: string): string | undefined => {
    if (!apikey.startsWith('sb_')) return undefined;
    if (isSecret(apikey)) return keys.serviceRoleKey;
    if (isPublishable(apikey)) return keys.anonKey;
    const kind = keys.kindOfApiKey(apikey);
    if (kind === undefined) return undefined;
    return kind === 'secret' ? keys.serviceRoleKey : keys.anonKey;
  };
  return {
    authorization(authorization, apikey) {
      if (authorization !== undefined && !authorization.startsWith('Bearer sb_')) return authorization;
      if (apikey === undefined) return undefined;
      const jwt = jwtOf(apikey);
      return jwt === undefined ? apikey : `Bearer ${jwt}`;
    },
    exchange: (apikey) => jwtOf(apikey) ?? apikey,
  };
}

/** Compares digests, so that the duration of a comparison reveals neither the content nor the length of the key. */
function constantTimeEqualTo(expected: () => string): (given: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  let known: { readonly key: string; readonly digest: Buffer } | undefined;
  return (given) => {
    const key = expected();
    // A default key can be rotated while the server runs.
    if (known?.key !== key) known = { key, digest: digest(key) };
    return timingSafeEqual(known.digest, digest(given));
  };
}
