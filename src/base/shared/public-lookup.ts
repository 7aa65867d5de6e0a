/** Resolves names only to public addresses. Used for requests to URLs that users choose, to prevent SSRF. */
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressScope, scopeOf } from './address-scope.ts';

export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface PublicLookupOptions {
  /** The resolver. The default is the system's resolver. */
  readonly resolve?: Resolve | undefined;
  readonly refusal: (address: string, scope: Exclude<AddressScope, 'public'>) => Error;
  /** Creates the error for a name that can't be resolved. The default is the resolver's own error. */
  readonly unresolved?: (host: string, error: Error) => Error;
}

/**
 * Returns a replacement for `dns.lookup` that fails if any address of the name isn't public. The lookup runs when the
 * connection is opened, so DNS rebinding doesn't bypass the check.
 */
export function createPublicLookup(options: PublicLookupOptions): LookupFunction {
  const { resolve = systemResolve, unresolved = (_, error) => error } = options;
  return (host, requested, callback) => {
    resolve(host, { ...requested, all: true }, (error, addresses) => {
      const fault = error === null ? firstRejection(addresses, options) : unresolved(host, error);
      const [first] = addresses ?? [];
      if (fault !== undefined) callback(fault, '');
      else if (requested.all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function firstRejection(
  addresses: readonly LookupAddress[],
  { refusal }: PublicLookupOptions,
): Error | undefined {
  for (const { address } of addresses) {
    const scope = scopeOf(address);
    if (scope !== 'public') return refusal(address, scope);
  }
  return undefined;
}

const systemResolve: Resolve = (host, options, callback) =>
  process.getBuiltinModule('node:dns').lookup(host, options, callback);
