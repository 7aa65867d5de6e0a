/**
 * Splits a JSON file into its objects without loading the whole file. The file contains either an array of objects or
 * one object per line (NDJSON). This module only finds where each object ends. The objects are then parsed with
 * JSON.parse.
 */
interface JsonElement {
  readonly text: string;
  /** The number of the line in which the object begins, starting at 1. */
  readonly line: number;
}

/** Thrown if there is unexpected text between objects or if the file ends too early. */
export class JsonShapeError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Finds the objects in a file. The file is passed in chunks. */
export class JsonElements {
  #text = '';
  #line = 1;
  #startLine = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inArray = false;
  #ended = false;

  /** The number of the line at the end of the last chunk, starting at 1. */
  get line(): number {
    return this.#line;
  }

  /** Yields the objects whose end is in this chunk. @throws {JsonShapeError} */
  *push(chunk: string): Generator<JsonElement> {
    let start = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      const char = chunk[at] as string;
      if (char === '\n') this.#line++;
      if (this.#depth > 0) {
        if (!this.#within(char)) continue;
        yield { text: this.#text + chunk.slice(start, at + 1), line: this.#startLine };
        this.#text = '';
        start = -1;
      } else if (char === '{' && !this.#ended) {
        this.#depth = 1;
        this.#startLine = this.#line;
        start = at;
      } else this.#between(char);
    }
    if (start >= 0) this.#text += chunk.slice(start);
  }

  /** Call this method after the last chunk. @throws {JsonShapeError} if the file ends too early */
  end(): void {
    if (this.#depth > 0) throw new JsonShapeError('The last object is cut off.', this.#line);
    if (this.#inArray && !this.#ended) throw new JsonShapeError('The array is never closed.', this.#line);
  }

  /** Processes a character inside an object. Returns true if this character ends the object. */
  #within(char: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (char === '\\') this.#escaped = true;
      else if (char === '"') this.#inString = false;
      return false;
    }
    if (char === '"') this.#inString = true;
    else if (char === '{' || char === '[') this.#depth++;
    else if (char === '}' || char === ']') this.#depth--;
    return this.#depth === 0;
  }

  #between(char: string): void {
    if (/[\s,\uFEFF]/.test(char)) return;
    if (char === '[' && !this.#inArray) this.#inArray = true;
    else if (char === ']' && this.#inArray && !this.#ended) this.#ended = true;
    else throw new JsonShapeError(`Expected an object, not ${JSON.stringify(char)}.`, this.#line);
  }
}

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
