/** Replaces users' API keys in requests with the access tokens for which the auth service exchanges them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '../../base/kernel/log.ts';
import { hideUserKeys, userKeyPrefix } from '../../base/shared/user-keys.ts';

const bearer = 'Bearer ';

/**
 * Returns the key in the `Authorization` header. The header consists only of the key if the client sent the key as
 * `apikey` (`applyApiKey`). Requests with other credentials cost only these two comparisons.
 */
export function userKeyOf({ authorization }: IncomingHttpHeaders): string | undefined {
  if (authorization === undefined) return undefined;
  if (authorization.startsWith(userKeyPrefix, bearer.length))
    return authorization.slice(bearer.length).trim();
  return authorization.startsWith(userKeyPrefix) ? authorization.trim() : undefined;
}

/** Hides the key from a service that doesn't accept it. */
export function hideUserKey(headers: IncomingHttpHeaders): void {
  if (userKeyOf(headers) !== undefined) headers.authorization = hideUserKeys(headers.authorization ?? '');
}

export const userKeyRejection = {
  status: 401,
  body: {
    code: 'invalid_user_api_key',
    message: 'Invalid API key',
    hint: 'The key is unknown, expired or revoked, or its user can’t sign in.',
  },
} as const;

const unavailable = {
  status: 503,
  body: { code: 'user_api_key_unchecked', message: "The API key couldn't be checked. Retry the request." },
} as const;

type Refusal = typeof userKeyRejection | typeof unavailable;

/** Replaces the key in the headers. Returns the response if the key isn't valid. Never rejects. */
export async function replaceUserKey(
  headers: IncomingHttpHeaders,
  key: string,
  exchange: (key: string) => Promise<string | undefined>,
  log: Logger,
): Promise<Refusal | undefined> {
  try {
    const token = await exchange(key);
    if (token === undefined) return userKeyRejection;
    headers.authorization = bearer + token;
    return undefined;
  } catch (error) {
    log.error({ error }, 'failed to check an API key of a user');
    return unavailable;
  }
}
