/** Name resolution that only accepts public addresses, for requests to URLs that users choose (SSRF). */
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressScope, scopeOf } from './address-scope.ts';

export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface PublicLookupOptions {
  /** Defaults to the system's resolver. */
  readonly resolve?: Resolve | undefined;
  readonly refusal: (address: string, scope: Exclude<AddressScope, 'public'>) => Error;
  /** Replaces the resolver's error. */
  readonly unresolved?: (host: string, error: Error) => Error;
}

/**
 * A replacement for `dns.lookup` that fails if any address of the name isn't public. It runs when the connection is
 * opened, so DNS rebinding doesn't bypass it.
 */
export function createPublicLookup(options: PublicLookupOptions): LookupFunction {
  const { resolve = systemResolve, unresolved = (_, error) => error } = options;
  return (host, wanted, callback) => {
    resolve(host, { ...wanted, all: true }, (error, addresses) => {
      const fault = error === null ? firstRefusal(addresses, options) : unresolved(host, error);
      const [first] = addresses ?? [];
      if (fault !== undefined) callback(fault, '');
      else if (wanted.all || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function firstRefusal(
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
