/** What a project wants of the claims of a provider it added: attributes mapped, further claims kept. */
import type { ExternalClaims } from './external-profile.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { standardClaims } from './providers/id-token-profiles.ts';

export interface ClaimRules {
  /** Name of a standard claim to the name of the provider's, or to a value that is no text. */
  readonly attributeMapping: JsonObject;
  /** Claims that are kept under `custom_claims` as they came. */
  readonly customClaims: readonly string[];
}

/** `raw` is everything that the provider said. Whatever is no standard claim in the end is left out. */
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
