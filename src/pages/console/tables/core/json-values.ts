/** Converts the values in a JSON object to PostgreSQL's text format. Numbers keep all of their digits. */

/** Parses a JSON object. Returns undefined if the text isn't a JSON object. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text, keepDigits);
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

interface RawJson {
  readonly rawJSON: string;
}

/**
 * Keeps the source text of a value (ECMAScript proposal "JSON.parse source text access"). TypeScript's library doesn't
 * declare this function yet.
 */
const rawJson = (JSON as unknown as { rawJSON(text: string): RawJson }).rawJSON;
const isRawJson = (JSON as unknown as { isRawJSON(value: unknown): value is RawJson }).isRawJSON;

function keepDigits(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source
    ? rawJson(source)
    : value;
}

/**
 * Returns a JSON value in PostgreSQL's text format. Set `isArray` for columns that have an array type. The value is
 * then formatted as an array literal instead of JSON.
 */
export function textOfValue(value: unknown, isArray: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (isRawJson(value)) return value.rawJSON;
  if (isArray && Array.isArray(value)) return arrayLiteral(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns an array literal in PostgreSQL's format (manual, 8.15.6). All elements except NULL are quoted. */
function arrayLiteral(values: readonly unknown[]): string {
  const items = values.map((value): string => {
    if (Array.isArray(value)) return arrayLiteral(value);
    const text = textOfValue(value, false);
    return text === null ? 'NULL' : `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;
  });
  return `{${items.join(',')}}`;
}
