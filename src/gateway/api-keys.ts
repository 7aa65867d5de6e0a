/**
 * The gateway rule for API keys, as the local stack's gateway has it: an `Authorization` that is present and does not
 * begin with `Bearer sb_` passes through; otherwise the `apikey` header decides.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../keys/types.ts';

export interface ApiKeyRule {
  /** The `Authorization` the service shall see; undefined when it shall see none. */
  authorization(authorization: string | undefined, apikey: string | undefined): string | undefined;
  /** The JWT an `sb_` key stands for; any other text comes back as it is. */
  exchange(apikey: string): string;
}

export function createApiKeyRule(
  keys: Pick<Keys, 'anonKey' | 'serviceRoleKey' | 'publishableKey' | 'secretKey' | 'kindOfApiKey'>,
): ApiKeyRule {
  const isSecret = constantTimeEqualTo(keys.secretKey);
  const isPublishable = constantTimeEqualTo(keys.publishableKey);
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

/** Compares digests, so that neither the content nor the length of the key shows in the time taken. */
function constantTimeEqualTo(expected: string): (given: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(expected);
  return (given) => timingSafeEqual(wanted, digest(given));
}
