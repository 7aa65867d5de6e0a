/**
 * Determines the client to which a join or message is attributed. Connections to the database are assigned to clients
 * in turn. This module has no side effects.
 */

import { networkOf } from '../../../base/shared/network/network-of.ts';
import type { RequestClient } from '../../../platform/database/types.ts';
import type { Caller } from './token.ts';

/**
 * Identifies the client by the user's ID or, if the caller isn't signed in, by the network of the IP address. Anonymous
 * users are grouped by network, because anyone can create many anonymous users.
 */
export function clientOf(
  { role, sub, claims }: Pick<Caller, 'role' | 'sub' | 'claims'>,
  address: string,
): RequestClient {
  const isAnonymousUser = claims.is_anonymous === true;
  const user = isAnonymousUser ? undefined : sub;
  return { key: user ?? networkOf(address), isAnonymous: isAnonymousUser || role === 'anon' };
}
