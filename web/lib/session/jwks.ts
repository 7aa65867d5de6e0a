/** The project's public signing keys: fetched once, cached, and fetched again when a token uses an unknown key. */
import { SessionFault } from './faults.ts';

/** Ten minutes, as in the service's own `max-age` (specification, section 9). */
export const jwksCacheMs = 600_000;

export interface Jwk extends JsonWebKey {
  readonly kid?: string;
}

export interface KeySource {
  /**
   * Returns all keys that may have signed a token with this `kid`, or every key if there is no `kid`. @throws
   * {SessionFault}
   */
  find(kid: string | undefined, keyType: string): Promise<readonly Jwk[]>;
}

export interface KeySourceOptions {
  readonly fetchKeys: () => Promise<{ readonly keys?: readonly Jwk[] }>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

export function createKeySource({ fetchKeys, now }: KeySourceOptions): KeySource {
  let cached: { keys: readonly Jwk[]; fetchedAt: number } | undefined;
  let underWay: Promise<readonly Jwk[]> | undefined;

  function refetch(): Promise<readonly Jwk[]> {
    underWay ??= fetchKeys()
      .then((set) => {
        cached = { keys: set.keys ?? [], fetchedAt: now() };
        return cached.keys;
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }

  return {
    async find(kid, keyType) {
      const fresh = cached !== undefined && now() - cached.fetchedAt < jwksCacheMs;
      const keys = fresh && cached !== undefined ? cached.keys : await refetch();
      const found = matching(keys, kid, keyType);
      if (found.length > 0) return found;
      // A key may have been added since the last fetch. Keys that were just fetched aren't fetched again.
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
