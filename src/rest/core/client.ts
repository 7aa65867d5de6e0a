/** Determines the client that a request belongs to. Clients take turns using database connections. */
import type { RequestClient } from '../../database/types.ts';
import { networkOf } from '../../shared/network-of.ts';
import type { Identity } from './authenticate.ts';
import type { RestRequest } from './request.ts';

/**
 * The client is the user or, without one, the network of the IP address. Anonymous users are grouped by
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
  // Parsing the address of every request would be too slow.
  return { key: address.includes(':') ? networkOf(address) : address, isAnonymous };
}
