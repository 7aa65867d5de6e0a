/**
 * Provides the project's public signing keys. The keys are fetched once and cached, and fetched again when a token uses
 * an unknown key.
 */
import { SessionFault } from './faults.ts';

/** The `max-age` of the service's own responses that contain the key set (specification, section 9). */
export const jwksCacheMs = 600_000;

export interface Jwk extends JsonWebKey {
  readonly kid?: string;
}

export interface KeySource {
  /**
   * Returns all keys that may have signed a token with this `kid`, or all keys if the token doesn't have a `kid`.
   * @throws {SessionFault}
   */
  find(kid: string | undefined, keyType: string): Promise<readonly Jwk[]>;
}

export interface KeySourceOptions {
  readonly fetchKeys: () => Promise<{ readonly keys?: readonly Jwk[] }>;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
}

export function createKeySource({ fetchKeys, now }: KeySourceOptions): KeySource {
  let cached: { keys: readonly Jwk[]; fetchedAt: number } | undefined;
  let inFlight: Promise<readonly Jwk[]> | undefined;

  function refetch(): Promise<readonly Jwk[]> {
    inFlight ??= fetchKeys()
      .then((set) => {
        cached = { keys: set.keys ?? [], fetchedAt: now() };
        return cached.keys;
      })
      .finally(() => {
        inFlight = undefined;
      });
    return inFlight;
  }

  return {
    async find(kid, keyType) {
      const fresh = cached !== undefined && now() - cached.fetchedAt < jwksCacheMs;
      const keys = fresh && cached !== undefined ? cached.keys : await refetch();
      const found = matching(keys, kid, keyType);
      if (found.length > 0) return found;
      // The key may have been added since the last fetch, so the keys are fetched again unless they were just fetched.
      const again = fresh ? await refetch() : keys;
      if (again.length === 0) throw new SessionFault('jwks_empty');
      const late = matching(again, kid, keyType);
      if (late.length === 0) throw new SessionFault('no_matching_key');
      return late;
    },
  };
}

function matching(keys: readonly Jwk[], kid: string | undefined, keyType: string): readonly Jwk[] {
  return keys.filter((key) => key.kty === keyType && (kid === undefined || key.kid === kid));
}
