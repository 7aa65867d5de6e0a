/**
 * Determines the client to which a join or message is attributed. Clients take turns using database connections. Has no
 * side effects.
 */
import type { RequestClient } from '../../database/types.ts';
import { networkOf } from '../../shared/network-of.ts';
import type { Caller } from './token.ts';

/**
 * Returns the user or, if the caller isn't signed in, the network of the IP address. Anonymous users are grouped by
 * network, because anyone can create many of them.
 */
export function clientOf(
  { role, sub, claims }: Pick<Caller, 'role' | 'sub' | 'claims'>,
  address: string,
): RequestClient {
  const isAnonymousUser = claims.is_anonymous === true;
  const user = isAnonymousUser ? undefined : sub;
  return { key: user ?? networkOf(address), isAnonymous: isAnonymousUser || role === 'anon' };
}
