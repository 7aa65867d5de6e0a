/**
 * Fetches and caches an external issuer's public keys (a JWK Set, RFC 7517 section 5). The keys are fetched when a
 * token first needs them. The keys are fetched again when they are old, or when a token uses an unknown key, because
 * the issuer may have rotated its keys. jose's key set isn't used because it is asynchronous, fails while the issuer is
 * unavailable, and rejects a token without `kid` if several keys match ([decision
 * 44](../../docs/decisions/0044-shared-and-libraries.md)).
 */
import { ageMs } from '../../base/kernel/clock.ts';
import { type Algorithm, type Jwk, type Key, loadJwk } from './jwk.ts';
import type { ParsedToken } from './verifier.ts';

export interface RemoteKeySet {
  /**
   * Returns the keys that may have signed this token. Fetches the issuer's keys if necessary.
   * @throws {Error} if the fetch fails
   */
  find(token: ParsedToken): Promise<Key[]>;
  /** Returns the cached keys that may have signed this token, without a fetch. */
  findKnown(token: ParsedToken): Key[];
  /** Whether {@link find} would fetch the keys. */
  wantsFetch(token: ParsedToken): boolean;
  /** Fetches the keys immediately. @throws {Error} if the fetch fails */
  refresh(): Promise<void>;
  known(): readonly Jwk[];
  /** Whether the keys were fetched, but so long ago that the next token causes another fetch. */
  isOutdated(): boolean;
}

export interface RemoteKeySetOptions {
  /** Returns the parsed JWK Set. */
  readonly fetch: () => Promise<unknown>;
  readonly now: () => number;
}

/** How long the keys are cached. Clients cache the hosted service's keys for the same time. */
const keySetLifetimeMs = 600_000;
/** The minimum time between fetches. Without this limit, tokens with made-up key IDs could cause constant fetches. */
const keySetPauseMs = 30_000;
/** The maximum number of keys in a set. No known issuer has more than this number of keys. */
const maxKeys = 100;

interface RemoteKey {
  readonly jwk: Jwk;
  readonly key: Key;
}

export function createRemoteKeySet({ fetch, now }: RemoteKeySetOptions): RemoteKeySet {
  let keys: readonly RemoteKey[] = [];
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let requestedAt = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | undefined;

  const findKnown = (token: ParsedToken): Key[] =>
    keys.filter(({ jwk }) => mayHaveSigned(jwk, token)).map(({ key }) => key);

  const isOld = (): boolean => ageMs(fetchedAt, now()) >= keySetLifetimeMs;
  const wantsFetch = (token: ParsedToken): boolean => {
    const isPaused = inFlight === undefined && ageMs(requestedAt, now()) < keySetPauseMs;
    return !isPaused && (isOld() || findKnown(token).length === 0);
  };

  const refresh = (): Promise<void> => {
    inFlight ??= (async () => {
      requestedAt = now();
      try {
        keys = readKeySet(await fetch());
        fetchedAt = now();
      } finally {
        inFlight = undefined;
      }
    })();
    return inFlight;
  };

  return {
    async find(token) {
      if (wantsFetch(token)) {
        await refresh().catch((error: unknown) => {
          // Ignores the error if a cached key is usable, so that a temporary outage of the issuer doesn't lock out its
          // users.
          if (findKnown(token).length === 0) throw error;
        });
      }
      return findKnown(token);
    },
    findKnown,
    wantsFetch,
    refresh,
    known: () => keys.map(({ jwk }) => jwk),
    isOutdated: () =>
      fetchedAt !== Number.NEGATIVE_INFINITY &&
      isOld() &&
      inFlight === undefined &&
      ageMs(requestedAt, now()) >= keySetPauseMs,
  };
}

/**
 * Parses a JWK Set. Skips encryption keys, unknown key types and secrets.
 * @throws {Error} if the document isn't a JWK Set
 */
function readKeySet(document: unknown): RemoteKey[] {
  const list = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new Error("the key set doesn't contain any keys");
  return list.slice(0, maxKeys).flatMap((entry: unknown) => {
    const jwk = entry as Jwk;
    if (typeof jwk !== 'object' || jwk === null || jwk.kty === 'oct' || jwk.use === 'enc') return [];
    try {
      const { publicJwk, verifyKey } = loadJwk(jwk);
      return publicJwk === undefined ? [] : [{ jwk: publicJwk, key: verifyKey }];
    } catch {
      return [];
    }
  });
}

function mayHaveSigned(jwk: Jwk, { alg, algorithm, kid }: ParsedToken): boolean {
  if (kid !== undefined && jwk.kid !== kid) return false;
  return fits(algorithm, jwk) && (jwk.alg === undefined || sameName(jwk.alg, alg));
}

const fits = ({ kty, crv }: Algorithm, jwk: Jwk): boolean =>
  kty !== 'oct' && jwk.kty === kty && (crv === undefined || jwk.crv === crv);

const sameName = (name: unknown, alg: string): boolean => (name === 'Ed25519' ? 'EdDSA' : name) === alg;
