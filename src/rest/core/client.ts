/** Determines the client of a request, which takes turns with other clients. */
import type { RequestClient } from '../../database/types.ts';
import { networkOf } from '../../shared/network-of.ts';
import type { Identity } from './authenticate.ts';
import type { RestRequest } from './request.ts';

/**
 * The client is the user or, for requests without one, the network of the address. Anonymous users are counted for
 * their address, because anyone can create many of them.
 */
export function clientOf(
  { address = '' }: RestRequest,
  { role, claims }: Identity,
  anonRole: string | undefined,
): RequestClient {
  const isAnonymousUser = claims.is_anonymous === true;
  const isAnonymous = isAnonymousUser || role === anonRole;
  if (!isAnonymousUser && typeof claims.sub === 'string') return { key: claims.sub, isAnonymous };
  // Parsing the address of every request would cost too much.
  return { key: address.includes(':') ? networkOf(address) : address, isAnonymous };
}
