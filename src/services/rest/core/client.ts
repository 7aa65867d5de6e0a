/** Determines the client to which a request is attributed when clients take turns using database connections. */

import { networkOf } from '../../../base/shared/network/network-of.ts';
import type { RequestClient } from '../../../platform/database/types.ts';
import type { Identity } from './authenticate.ts';
import type { RestRequest } from './request.ts';

/**
 * Returns the user ID or, if the caller isn't signed in, the network of the IP address. Anonymous users are grouped by
 * network, because anyone can create many of them.
 */
export function clientOf(
  { address = '' }: RestRequest,
  { role, claims }: Identity,
  anonRole: string | undefined,
): RequestClient {
  const isAnonymousUser = claims.is_anonymous === true;
  const isAnonymous = isAnonymousUser || role === anonRole;
  if (!isAnonymousUser && typeof claims.sub === 'string') return { key: claims.sub, isAnonymous };
  // The network is determined only for IPv6 addresses, because parsing the address of every request would be too slow.
  return { key: address.includes(':') ? networkOf(address) : address, isAnonymous };
}
