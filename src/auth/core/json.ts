/** JSON as Go prints maps: keys sorted at every level. Clients compare snapshots of metadata and claims. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
export type JsonObject = { [key: string]: Json | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same value with the keys of all objects in byte order. */
export function sortKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortKeys) as T;
  if (!isJsonObject(value)) return value;
  const sorted: JsonObject = Object.create(null) as JsonObject;
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys(value[key]);
  return { ...sorted } as T;
}

/** Merges at the top level; a null removes the key. */
export function mergeMetadata(current: JsonObject | null, updates: JsonObject): JsonObject {
  if (current === null) return updates;
  const merged = { ...current };
  for (const [key, value] of Object.entries(updates)) {
    if (value === null || value === undefined) delete merged[key];
    else merged[key] = value;
  }
  return merged;
}
