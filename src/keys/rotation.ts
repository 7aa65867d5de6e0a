/**
 * The life of a signing key, as changes to the list that is kept; pure.
 *
 * Glossary. *In use*: the first key of the list that may sign. *Standby*: a further one that may; it is published, so
 * that everybody knows it before it signs. *Previous*: verifies what it has signed, and never signs again. Revoked keys
 * are not in the list.
 */
import { type Jwk, loadJwk, withoutPrivateParts } from './jwk.ts';

export type KeyState = 'in use' | 'standby' | 'previous';

export interface KeyEntry {
  /** Empty for a key without one. */
  readonly kid: string;
  readonly algorithm: string;
  readonly state: KeyState;
}

/** Why a change is refused: a sentence, and what to do. */
export class KeyRefusal extends Error {
  override readonly name = 'KeyRefusal';
  readonly advice: string;
  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

/** In the order of the list. */
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
 * The standby key (the first, or the one named) signs from now on. The one before keeps what verifying needs.
 * @throws {KeyRefusal} when there is none.
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

/** @throws {KeyRefusal} for the key in use, and for one that is not in the list. */
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

/** A secret has no public half: only `key_ops` keeps it from signing. */
function retired(jwk: Jwk): Jwk {
  return { ...(jwk.kty === 'oct' ? jwk : withoutPrivateParts(jwk)), key_ops: ['verify'] };
}
