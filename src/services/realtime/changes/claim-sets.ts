/** Stores the claim sets in use. Subscribers with the same role and claims share one claim set. */
import type { Caller } from '../core/token.ts';
import type { ClaimSet } from './checks.ts';

export class ClaimSets {
  readonly #byKey = new Map<string, { readonly claimSet: ClaimSet; users: number }>();

  acquire({ role, sub, claimsJson }: Caller): ClaimSet {
    const key = keyOf(role, claimsJson);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.users++;
      return known.claimSet;
    }
    const claimSet = { role, sub: sub ?? '', claimsJson };
    this.#byKey.set(key, { claimSet, users: 1 });
    return claimSet;
  }

  release({ role, claimsJson }: ClaimSet): void {
    const key = keyOf(role, claimsJson);
    const known = this.#byKey.get(key);
    if (known !== undefined && --known.users === 0) this.#byKey.delete(key);
  }
}

const keyOf = (role: string, claimsJson: string): string => `${role}\0${claimsJson}`;
