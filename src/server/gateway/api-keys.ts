/**
 * The gateway's rule for API keys, which is the same as in the gateway of upstream's local stack. An `Authorization`
 * header is forwarded to the service unless it starts with `Bearer sb_`. If the `Authorization` header is missing or
 * starts with `Bearer sb_`, the `apikey` header applies instead.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Mount } from '../../base/kernel/service.ts';
import { hideSecretKeys } from '../../base/shared/printable.ts';
import { userKeyPrefix } from '../../base/shared/user-keys.ts';
import type { ApiKeyRole, Keys } from '../../platform/keys/types.ts';
import { hideUserKey } from './user-keys.ts';

export interface ApiKeyRule {
  /**
   * Returns the `Authorization` header that is passed to the service, or undefined if the request must not have this
   * header. A JWT for an `sb_` key is valid for at least `tokenSeconds` (decision 95).
   */
  authorization(
    authorization: string | undefined,
    apikey: string | undefined,
    tokenSeconds?: number,
  ): string | undefined;
  /** Returns a JWT for an `sb_` key. Returns any other text unchanged. */
  exchange(apikey: string): string;
}

/** Requests wait in queues and transfer their bodies before some services verify the token. */
export const defaultTokenSeconds = 120;

export function createApiKeyRule(
  keys: Pick<Keys, 'temporaryToken' | 'publishableKey' | 'secretKey' | 'kindOfApiKey'>,
): ApiKeyRule {
  const isSecret = constantTimeEqualTo(() => keys.secretKey);
  const isPublishable = constantTimeEqualTo(() => keys.publishableKey);
  const roleOf = (apikey: string): ApiKeyRole | undefined => {
    if (!apikey.startsWith('sb_')) return undefined;
    if (isSecret(apikey)) return 'service_role';
    if (isPublishable(apikey)) return 'anon';
    const kind = keys.kindOfApiKey(apikey);
    if (kind === undefined) return undefined;
    return kind === 'secret' ? 'service_role' : 'anon';
  };
  const jwtOf = (apikey: string, tokenSeconds = defaultTokenSeconds): string | undefined => {
    const role = roleOf(apikey);
    return role && keys.temporaryToken(role, tokenSeconds);
  };
  return {
    authorization(authorization, apikey, tokenSeconds) {
      if (authorization !== undefined && !authorization.startsWith('Bearer sb_')) return authorization;
      if (apikey === undefined) return undefined;
      const jwt = jwtOf(apikey, tokenSeconds);
      return jwt === undefined ? apikey : `Bearer ${jwt}`;
    },
    exchange: (apikey) => jwtOf(apikey) ?? apikey,
  };
}

/** The headers in which clients send API keys. */
const keyHeaders = ['authorization', 'apikey', 'x-api-key'] as const;

/** Applies the rule to the headers of a request, and hides secret keys from services that don't use them. */
export function applyApiKey(
  headers: IncomingHttpHeaders,
  rule: ApiKeyRule,
  {
    apiKeyTokenSeconds,
    receivesSecretKeys = false,
    refusesUserKeys = false,
  }: Pick<Mount, 'apiKeyTokenSeconds' | 'receivesSecretKeys' | 'refusesUserKeys'>,
): void {
  const { authorization, apikey } = headers;
  if (authorization === undefined || authorization.startsWith('Bearer sb_')) {
    const given = typeof apikey === 'string' ? apikey : undefined;
    const substituted = rule.authorization(authorization, given, apiKeyTokenSeconds);
    if (substituted === undefined) delete headers.authorization;
    else headers.authorization = substituted;
  }
  // A user's key in this header is only a copy of the one in `Authorization`, which the gateway replaces.
  if (typeof apikey === 'string' && apikey.startsWith(userKeyPrefix)) headers.apikey = `${userKeyPrefix}...`;
  if (refusesUserKeys) hideUserKey(headers);
  if (receivesSecretKeys) return;
  for (const name of keyHeaders) {
    const value = headers[name];
    if (typeof value === 'string' && value.includes('sb_secret_')) headers[name] = hideSecretKeys(value);
  }
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
