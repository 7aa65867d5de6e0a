/** A project's claim rules for the providers it added: attribute mapping and custom claims. */
import type { ExternalClaims } from './external-profile.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { standardClaims } from './providers/id-token-profiles.ts';

export interface ClaimRules {
  /** Maps standard claims to the provider's claim names, or to literal values that aren't strings. */
  readonly attributeMapping: JsonObject;
  /** Claims to store unchanged under `custom_claims`. */
  readonly customClaims: readonly string[];
}

/**
 * Applies the rules. `raw` contains all of the provider's claims. Claims that are neither standard nor listed are
 * dropped.
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
  for (const [target, wanted] of Object.entries(attributeMapping)) {
    const value = typeof wanted === 'string' ? (source[wanted] ?? (raw[wanted] as JsonObject)) : wanted;
    if (value !== undefined) mapped[target] = value;
  }
  return standardClaims(mapped);
}
