/**
 * Implements the life cycle of signing keys as changes to the stored list.
 *
 * Glossary. *In use*: the first key in the list that can sign. *Standby*: any other key that can sign. A standby key is
 * published so that clients have it before it signs. *Previous*: a key that verifies older tokens and never signs
 * again. Revoked keys aren't in the list.
 */
import { type Jwk, loadJwk, withoutPrivateParts } from './jwk.ts';

export type KeyState = 'in use' | 'standby' | 'previous';

export interface KeyEntry {
  /** The key's `kid`, or an empty string if the key doesn't have a `kid`. */
  readonly kid: string;
  readonly algorithm: string;
  readonly state: KeyState;
}

/** Thrown if a change is rejected. The error's message explains the reason and how to proceed. */
export class KeyRejection extends Error {
  override readonly name = 'KeyRejection';
  readonly advice: string;
  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

/** Returns an entry for each key, in the order of the list. */
export function describeKeys(keys: readonly Jwk[]): KeyEntry[] {
  let isTaken = false;
  return keys.map((jwk) => {
    const { kid = '', alg, signKey } = loadJwk(jwk);
    const state = signKey === undefined ? 'previous' : isTaken ? 'standby' : 'in use';
    isTaken ||= signKey !== undefined;
    return { kid, algorithm: alg, state };
  });
}

export function withStandby(keys: readonly Jwk[], key: Jwk): Jwk[] {
  return [...keys, key];
}

/**
 * Makes a standby key the signing key. Uses the key with the given `kid`, or the first standby key if no `kid` is
 * given. Keeps only the part of the previous key that verifies tokens.
 * @throws {KeyRejection} if there isn't a matching standby key
 */
export function rotate(keys: readonly Jwk[], kid?: string): Jwk[] {
  const entries = describeKeys(keys);
  const chosen = entries.findIndex(
    (entry) => entry.state === 'standby' && (kid === undefined || entry.kid === kid),
  );
  const next = keys[chosen];
  if (next === undefined) {
    const what = kid === undefined ? 'No standby key exists.' : `No standby key ${kid} exists.`;
    throw new KeyRejection(
      what,
      'Create a key with "plinth keys standby", or list the keys with "plinth keys list".',
    );
  }
  const others = keys.flatMap((jwk, index) => {
    if (index === chosen) return [];
    return [entries[index]?.state === 'in use' ? retired(jwk) : jwk];
  });
  return [next, ...others];
}

/**
 * Removes a key from the list.
 * @throws {KeyRejection} for the key in use, and for a key that isn't in the list
 */
export function revoke(keys: readonly Jwk[], kid: string): Jwk[] {
  const entries = describeKeys(keys);
  const index = entries.findIndex((entry) => entry.kid === kid);
  if (index < 0) throw new KeyRejection(`No key ${kid} exists.`, 'To list the keys, run "plinth keys list".');
  if (entries[index]?.state === 'in use') {
    throw new KeyRejection(
      `The key ${kid} is in use.`,
      'Replace it first with "plinth keys standby" and "plinth keys rotate".',
    );
  }
  return keys.filter((_, position) => position !== index);
}

/**
 * Returns the key in a form that can only verify tokens. A symmetric key has no public part, so only `key_ops` prevents
 * it from signing.
 */
function retired(jwk: Jwk): Jwk {
  return { ...(jwk.kty === 'oct' ? jwk : withoutPrivateParts(jwk)), key_ops: ['verify'] };
}
