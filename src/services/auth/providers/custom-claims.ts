/**
 * Maps a custom provider's claims to a user's claims. The rules consist of the attribute mapping and the list of custom
 * claims.
 */

import { isJsonObject, type JsonObject } from '../common/json.ts';
import { standardClaims } from './catalog/id-token-profiles.ts';
import type { ExternalClaims } from './profile.ts';

export interface ClaimRules {
  /**
   * Maps each standard claim to the name of the provider's claim. If the value in the mapping isn't a string, the
   * user's claim gets this value itself.
   */
  readonly attributeMapping: JsonObject;
  /** The names of claims that are stored unchanged under `custom_claims`. */
  readonly customClaims: readonly string[];
}

/**
 * Applies the rules to `raw`, which contains all of the provider's claims. Drops claims that are neither standard
 * claims nor listed in `customClaims`.
 */
export function applyClaimRules(
  claims: ExternalClaims,
  raw: Readonly<Record<string, unknown>>,
  { attributeMapping, customClaims }: ClaimRules,
): ExternalClaims {
  const kept = customClaims.filter((name) => Object.hasOwn(raw, name)).map((name) => [name, raw[name]]);
  const before = isJsonObject(claims.custom_claims) ? claims.custom_claims : {};
  const custom = { ...before, ...Object.fromEntries(kept) } as JsonObject;
  const source: JsonObject = {
    ...claims,
    ...(Object.keys(custom).length === 0 ? {} : { custom_claims: custom }),
  };
  const mapped: JsonObject = { ...source };
  for (const [target, expected] of Object.entries(attributeMapping)) {
    const value =
      typeof expected === 'string' ? (source[expected] ?? (raw[expected] as JsonObject)) : expected;
    if (value !== undefined) mapped[target] = value;
  }
  return standardClaims(mapped);
}
