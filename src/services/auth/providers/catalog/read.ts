/**
 * Reads values from a provider's response. If a value is missing or has the wrong type, the result is the empty value
 * of the expected type.
 */
import { isJsonObject, type JsonObject } from '../../common/json.ts';

type Path = readonly (string | number)[];

export function valueAt(value: unknown, ...path: Path): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

export function textAt(value: unknown, ...path: Path): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** Returns an ID as a string. Providers send IDs as strings or numbers. */
export function idAt(value: unknown, ...path: Path): string {
  const found = valueAt(value, ...path);
  if (typeof found === 'number' && Number.isSafeInteger(found)) return String(found);
  return typeof found === 'string' ? found : '';
}

export function flagAt(value: unknown, ...path: Path): boolean {
  return valueAt(value, ...path) === true;
}

export function numberAt(value: unknown, ...path: Path): number {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : 0;
}

export function listAt(value: unknown, ...path: Path): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function objectAt(value: unknown, ...path: Path): JsonObject {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
}
