/**
 * The life cycle of signing keys, implemented as changes to the stored list. Pure.
 *
 * Glossary. *In use*: the first key in the list that can sign. *Standby*: any other key that can sign. It is published
 * so that clients know it before it signs. *Previous*: verifies older tokens and never signs again. Revoked keys aren't
 * in the list.
 */
import { type Jwk, loadJwk, withoutPrivateParts } from './jwk.ts';

export type KeyState = 'in use' | 'standby' | 'previous';

export interface KeyEntry {
  /** Empty for a key without a `kid`. */
  readonly kid: string;
  readonly algorithm: string;
  readonly state: KeyState;
}

/** Explains why a change was rejected and how to proceed. */
export class KeyRefusal extends Error {
  override readonly name = 'KeyRefusal';
  readonly advice: string;
  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

/** Returns the entries in the order of the list. */
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
 * Makes a standby key the signing key: the given key, or otherwise the first. Only the part of the previous key that is
 * needed to verify tokens is kept.
 * @throws {KeyRefusal} if there is no standby key
 */
export function rotate(keys: readonly Jwk[], kid?: string): Jwk[] {
  const entries = describeKeys(keys);
  const chosen = entries.findIndex(
    (entry) => entry.state === 'standby' && (kid === undefined || entry.kid === kid),
  );
  const next = keys[chosen];
  if (next === undefined) {
    const what = kid === undefined ? 'There is no standby key.' : `There is no standby key ${kid}.`;
    throw new KeyRefusal(what, 'Make one with "plinth keys standby", and list them with "plinth keys list".');
  }
  const others = keys.flatMap((jwk, index) => {
    if (index === chosen) return [];
    return [entries[index]?.state === 'in use' ? retired(jwk) : jwk];
  });
  return [next, ...others];
}

/** @throws {KeyRefusal} for the key in use, and for a key that isn't in the list */
export function revoke(keys: readonly Jwk[], kid: string): Jwk[] {
  const entries = describeKeys(keys);
  const index = entries.findIndex((entry) => entry.kid === kid);
  if (index < 0) throw new KeyRefusal(`There is no key ${kid}.`, 'List them with "plinth keys list".');
  if (entries[index]?.state === 'in use') {
    throw new KeyRefusal(
      `The key ${kid} is in use.`,
      'Let another one take its place first: "plinth keys standby", then "plinth keys rotate".',
    );
  }
  return keys.filter((_, position) => position !== index);
}

/** A symmetric key doesn't have a public part, so only `key_ops` prevents it from signing. */
function retired(jwk: Jwk): Jwk {
  return { ...(jwk.kty === 'oct' ? jwk : withoutPrivateParts(jwk)), key_ops: ['verify'] };
}
