/**
 * Handles JSON values. The keys of objects are sorted at every level, as they are when Go prints maps. The order of
 * keys matters, because clients compare snapshots of metadata and claims.
 */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
export type JsonObject = { [key: string]: Json | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const maxDepth = 1000;

/**
 * Whether PostgreSQL can store the value as jsonb. PostgreSQL rejects NUL characters, unpaired surrogates, and values
 * whose nesting is too deep for PostgreSQL's stack.
 */
export function isStorable(value: unknown): boolean {
  const text = (part: string): boolean => part.isWellFormed() && !part.includes('\0');
  // This function is iterative, because the value may be nested too deeply for recursion.
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next.value === 'string' && !text(next.value)) return false;
    if (typeof next.value !== 'object' || next.value === null) continue;
    const depth = next.depth + 1;
    if (depth > maxDepth || !Object.keys(next.value).every(text)) return false;
    for (const part of Object.values(next.value)) waiting.push({ value: part, depth });
  }
  return true;
}

/** Returns the value with all object keys in byte order. */
export function sortKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortKeys) as T;
  if (!isJsonObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    const item = typeof member === 'object' ? sortKeys(member) : member;
    // Assigning to `__proto__` would replace the prototype instead of adding a member.
    if (key === '__proto__')
      Object.defineProperty(sorted, key, {
        value: item,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else sorted[key] = item;
  }
  return sorted as T;
}

/** Merges updates into the top level of the metadata. A null in `updates` removes the key. */
export function mergeMetadata(current: JsonObject | null, updates: JsonObject): JsonObject {
  if (current === null) return updates;
  const merged = { ...current };
  for (const [key, value] of Object.entries(updates)) {
    if (value === null || value === undefined) delete merged[key];
    else merged[key] = value;
  }
  return merged;
}
