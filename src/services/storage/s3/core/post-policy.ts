/**
 * Checks the policy of a POST form, which contains an expiry and conditions on the form's fields. Every field must be
 * covered by a condition, except the fields that belong to the signature. See "Creating a POST Policy" in the S3 API
 * reference.
 */

export interface PostPolicy {
  /** The time at which the policy expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly conditions: readonly PostCondition[];
}

export type PostCondition =
  | { readonly kind: 'equal' | 'prefix'; readonly field: string; readonly value: string }
  | { readonly kind: 'size'; readonly minBytes: number; readonly maxBytes: number };

/** The names of fields that don't require a condition in the policy. */
const free: ReadonlySet<string> = new Set(['policy', 'x-amz-signature', 'file']);
const signatureFields: ReadonlySet<string> = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-security-token',
]);

/** Parses a form's policy, which is base64-encoded JSON. Returns undefined if the policy is invalid. */
export function parsePolicy(base64: string): PostPolicy | undefined {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof document !== 'object' || document === null) return undefined;
  const { expiration, conditions } = document as Record<string, unknown>;
  const expiresAt = typeof expiration === 'string' ? Date.parse(expiration) : Number.NaN;
  if (Number.isNaN(expiresAt) || !Array.isArray(conditions)) return undefined;
  const parsed = conditions.map(parseCondition);
  return parsed.includes(undefined) ? undefined : { expiresAt, conditions: parsed as PostCondition[] };
}

function parseCondition(condition: unknown): PostCondition | undefined {
  if (Array.isArray(condition)) {
    const [operator, first, second] = condition as unknown[];
    if (operator === 'content-length-range') {
      const [minBytes, maxBytes] = [Number(first), Number(second)];
      return Number.isSafeInteger(minBytes) && Number.isSafeInteger(maxBytes)
        ? { kind: 'size', minBytes, maxBytes }
        : undefined;
    }
    const kind = operator === 'eq' ? 'equal' : operator === 'starts-with' ? 'prefix' : undefined;
    if (!kind || typeof first !== 'string' || !first.startsWith('$') || typeof second !== 'string')
      return undefined;
    return { kind, field: first.slice(1).toLowerCase(), value: second };
  }
  if (typeof condition !== 'object' || condition === null) return undefined;
  const [entry, ...others] = Object.entries(condition);
  if (!entry || others.length > 0 || !['string', 'number', 'boolean'].includes(typeof entry[1]))
    return undefined;
  return { kind: 'equal', field: entry[0].toLowerCase(), value: String(entry[1]) };
}

/**
 * Returns the name of the first form field that violates a condition or that no condition covers. The keys of `fields`
 * are lowercase and include `bucket`.
 */
export function violatedField(policy: PostPolicy, fields: ReadonlyMap<string, string>): string | undefined {
  const named = new Set<string>();
  for (const condition of policy.conditions) {
    if (condition.kind === 'size') continue;
    const value = fields.get(condition.field);
    const holds =
      condition.kind === 'equal' ? value === condition.value : value?.startsWith(condition.value) === true;
    if (!holds) return condition.field;
    named.add(condition.field);
  }
  return [...fields.keys()].find(
    (field) =>
      !named.has(field) && !free.has(field) && !signatureFields.has(field) && !field.startsWith('x-ignore-'),
  );
}

/** Returns the limits in bytes that the policy sets for the size of the file. */
export function sizeBounds(policy: PostPolicy): { readonly minBytes: number; readonly maxBytes: number } {
  let minBytes = 0;
  let maxBytes = Number.POSITIVE_INFINITY;
  for (const condition of policy.conditions) {
    if (condition.kind !== 'size') continue;
    minBytes = Math.max(minBytes, condition.minBytes);
    maxBytes = Math.min(maxBytes, condition.maxBytes);
  }
  return { minBytes, maxBytes };
}
