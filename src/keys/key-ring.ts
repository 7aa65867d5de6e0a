/**
 * The signing keys as they are now. They may change while we run (`plinth keys`, or whoever writes the file): every
 * process that reads the same file follows within a second, without a restart and without a message between them.
 */
import type { Logger } from '../kernel/log.ts';
import { type Jwk, type LoadedKey, loadJwk } from './jwk.ts';
import type { KeyFile } from './key-file.ts';

export interface Ring {
  readonly keys: readonly LoadedKey[];
  /** The first that may sign; undefined: the JWT secret does. */
  readonly signer: LoadedKey | undefined;
  readonly publicKeys: readonly Jwk[];
  /** `oct` keys of the list, which only our own services may know. */
  readonly secretKeys: readonly Jwk[];
}

export interface KeyRing {
  /** Looks at the file now and then, at most once in {@link lookEveryMs}. */
  current(): Ring;
  /** Looks again, though not long ago it did: a token names a key that is not there. True: something has changed. */
  lookAgain(): boolean;
}

/** How long a process may go on with keys that have been changed. */
export const lookEveryMs = 1000;
/** Tokens with invented names must not make us look without end. */
const lookAgainEveryMs = 50;

/** @throws {Error} a sentence, for keys that cannot be used. */
export function loadRing(jwks: readonly Jwk[]): Ring {
  const keys = jwks.map(loadJwk);
  const kids = keys.flatMap(({ kid }) => kid ?? []);
  const twice = kids.find((kid, index) => kids.indexOf(kid) !== index);
  // Which of the two a token means, nobody could tell.
  if (twice !== undefined) throw new Error(`two keys have the kid ${twice}`);
  return {
    keys,
    signer: keys.find((key) => key.signKey !== undefined),
    publicKeys: keys.flatMap((key) => (key.publicJwk ? [key.publicJwk] : [])),
    secretKeys: jwks.filter((jwk) => jwk.kty === 'oct'),
  };
}

export function createKeyRing(options: {
  /** Undefined: `fixed` for as long as the process lives. */
  readonly file: KeyFile | undefined;
  readonly fixed: readonly Jwk[];
  /** Milliseconds that only ever grow. */
  readonly monotonicMs: () => number;
  readonly onChange: () => void;
  readonly log: Logger;
}): KeyRing {
  const { file, monotonicMs, log } = options;
  if (file === undefined) {
    const ring = loadRing(options.fixed);
    return { current: () => ring, lookAgain: () => false };
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
    // Remembered also when it cannot be used: told once, not at every request.
    stamp = found;
    try {
      ring = load(keyFile);
    } catch (error) {
      log.error(
        { file: keyFile.path, error },
        'the signing keys have changed and cannot be used; the ones before stay',
      );
      return false;
    }
    options.onChange();
    log.info(
      { file: keyFile.path, kids: ring.keys.map(({ kid }) => kid), signer: ring.signer?.kid },
      'the signing keys have changed',
    );
    return true;
  }

  return {
    current() {
      if (monotonicMs() - lookedAt >= lookEveryMs) look(file);
      return ring;
    },
    lookAgain: () => monotonicMs() - lookedAt >= lookAgainEveryMs && look(file),
  };
}
