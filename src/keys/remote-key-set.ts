/**
 * The public keys of an external issuer (a JWK Set, RFC 7517 section 5). They are cached, and fetched when a token
 * needs them. They are fetched again when they are old or a token uses an unknown key, which happens when the issuer
 * rotates its keys.
 */
import type { Algorithm, Key } from './algorithms.ts';
import { type Jwk, loadJwk } from './jwk.ts';
import type { ParsedToken } from './token.ts';

export interface RemoteKeySet {
  /**
   * Returns the keys that may have signed this token, and first fetches them if necessary. @throws {Error} from the
   * fetch
   */
  find(token: ParsedToken): Promise<Key[]>;
  /** Like {@link find}, but only uses cached keys. */
  findKnown(token: ParsedToken): Key[];
  /** Whether {@link find} would fetch. */
  wantsFetch(token: ParsedToken): boolean;
  /** Fetches the keys immediately. @throws {Error} from the fetch */
  refresh(): Promise<void>;
  known(): readonly Jwk[];
}

export interface RemoteKeySetOptions {
  /** Returns the parsed JWK Set. */
  readonly fetch: () => Promise<unknown>;
  readonly now: () => number;
}

/** The time for which clients of the hosted service cache its keys. */
const keySetLifetimeMs = 600_000;
/** The minimum time between fetches, because tokens with made-up key IDs must not cause endless fetches. */
const keySetPauseMs = 30_000;
/** The maximum number of keys. No known issuer has more. */
const maxKeys = 100;

interface RemoteKey {
  readonly jwk: Jwk;
  readonly key: Key;
}

export function createRemoteKeySet({ fetch, now }: RemoteKeySetOptions): RemoteKeySet {
  let keys: readonly RemoteKey[] = [];
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  const findKnown = (token: ParsedToken): Key[] =>
    keys.filter(({ jwk }) => mayHaveSigned(jwk, token)).map(({ key }) => key);

  const isOld = (): boolean => now() - fetchedAt >= keySetLifetimeMs;
  const wantsFetch = (token: ParsedToken): boolean => {
    const isPaused = underWay === undefined && now() - askedAt < keySetPauseMs;
    return !isPaused && (isOld() || findKnown(token).length === 0);
  };

  const refresh = (): Promise<void> => {
    underWay ??= (async () => {
      askedAt = now();
      try {
        keys = readKeySet(await fetch());
        fetchedAt = now();
      } finally {
        underWay = undefined;
      }
    })();
    return underWay;
  };

  return {
    async find(token) {
      if (wantsFetch(token)) {
        await refresh().catch((error: unknown) => {
          // A temporary outage of the issuer must not lock out its users.
          if (findKnown(token).length === 0) throw error;
        });
      }
      return findKnown(token);
    },
    findKnown,
    wantsFetch,
    refresh,
    known: () => keys.map(({ jwk }) => jwk),
  };
}

/** Skips encryption keys, unknown key types and secrets. @throws {Error} if the document isn't a JWK Set */
function readKeySet(document: unknown): RemoteKey[] {
  const list = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new Error('the key set holds no keys');
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
