/**
 * Provides the current signing keys. Signing keys can change while the server runs, through `plinth keys` or an edit of
 * the file. Every process that reads the same file detects a change within a second, without a restart or a message.
 */
import type { Logger } from '../../base/kernel/log.ts';
import { type Jwk, type LoadedKey, loadJwk } from './jwk.ts';
import type { KeyFile } from './key-file.ts';

export interface Ring {
  readonly keys: readonly LoadedKey[];
  /** The first key in the list that can sign. If it is undefined, the JWT secret is used for signing. */
  readonly signer: LoadedKey | undefined;
  readonly publicKeys: readonly Jwk[];
  /** The `oct` keys in the list. Only Plinth's own services may receive these keys. */
  readonly secretKeys: readonly Jwk[];
}

export interface KeyRing {
  /** Returns the keys. Checks the file for changes if the last check was at least {@link lookEveryMs} ago. */
  current(): Ring;
  /**
   * Checks the file again, even if it was checked recently. Used if a token refers to a key that isn't known yet.
   * Returns true if the keys have changed.
   */
  lookAgain(): boolean;
  /** Checks the file, no matter when it was last checked. */
  refresh(): void;
}

/** The maximum time for which a process uses keys that have been replaced. */
export const lookEveryMs = 1000;
/**
 * The minimum time between checks for unknown keys. Without this limit, tokens with made-up key IDs could cause
 * constant checks.
 */
export const lookAgainEveryMs = 50;

/** Loads the keys. @throws {Error} if a key can't be used. The error's message explains the problem. */
export function loadRing(jwks: readonly Jwk[]): Ring {
  const keys = jwks.map(loadJwk);
  const kids = keys.flatMap(({ kid }) => kid ?? []);
  const twice = kids.find((kid, index) => kids.indexOf(kid) !== index);
  // Two keys with the same `kid` would make a token's reference ambiguous.
  if (twice !== undefined) throw new Error(`two keys have the kid ${twice}`);
  return {
    keys,
    signer: keys.find((key) => key.signKey !== undefined),
    publicKeys: keys.flatMap((key) => (key.publicJwk ? [key.publicJwk] : [])),
    secretKeys: jwks.filter((jwk) => jwk.kty === 'oct'),
  };
}

export function createKeyRing(options: {
  /**
   * The file that contains the keys. If it is undefined, the keys in `fixed` are used for the lifetime of the process.
   */
  readonly file: KeyFile | undefined;
  readonly fixed: readonly Jwk[];
  /** Returns milliseconds from a monotonic clock. */
  readonly monotonicMs: () => number;
  readonly onChange: () => void;
  readonly log: Logger;
}): KeyRing {
  const { file, monotonicMs, log } = options;
  if (file === undefined) {
    const ring = loadRing(options.fixed);
    return { current: () => ring, lookAgain: () => false, refresh() {} };
  }
  const load = (keyFile: KeyFile): Ring => {
    const jwks = keyFile.read();
    try {
      return loadRing(jwks);
    } catch (error) {
      throw new Error(`Signing keys: ${keyFile.path}: ${(error as Error).message}`);
    }
  };
  let stamp = file.stamp();
  let ring = load(file);
  let lookedAt = monotonicMs();

  function look(keyFile: KeyFile): boolean {
    lookedAt = monotonicMs();
    const found = keyFile.stamp();
    if (found === stamp) return false;
    // Stores the stamp even if the file is invalid, so that the error is reported once and not on every request.
    stamp = found;
    try {
      ring = load(keyFile);
    } catch (error) {
      log.error(
        { file: keyFile.path, error },
        'the changed signing keys are invalid; keeping the previous keys',
      );
      return false;
    }
    options.onChange();
    log.info(
      { file: keyFile.path, kids: ring.keys.map(({ kid }) => kid), signer: ring.signer?.kid },
      'the signing keys changed',
    );
    return true;
  }

  return {
    current() {
      if (monotonicMs() - lookedAt >= lookEveryMs) look(file);
      return ring;
    },
    lookAgain: () => monotonicMs() - lookedAt >= lookAgainEveryMs && look(file),
    refresh: () => void look(file),
  };
}
