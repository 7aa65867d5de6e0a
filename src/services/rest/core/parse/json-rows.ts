/** Determines which kind of value a JSON body is, and whether the objects in the body have the same keys. */
import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../../../base/shared/json.ts';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  expectByte,
  JsonFault,
  OPEN_ARRAY,
  OPEN_OBJECT,
  skipSpace,
  skipString,
  skipValue,
} from './json-scan.ts';

export type JsonRows =
  | { readonly kind: 'object'; readonly keys: readonly string[] }
  /**
   * An array. `keys` is undefined if an element isn't an object, or if the elements have different keys. If the array
   * is empty, `keys` is empty.
   */
  | { readonly kind: 'array'; readonly isEmpty: boolean; readonly keys: readonly string[] | undefined }
  | { readonly kind: 'scalar' };

/**
 * Bodies up to this size are parsed rather than scanned. Parsing small bodies is faster than scanning them, and the
 * resulting objects are soon garbage-collected.
 */
const PARSED_BYTES = 1024 * 1024;

/** Returns the kind and the common keys of a JSON body, or undefined if the body isn't valid JSON. */
export function readJsonRows(body: Uint8Array): JsonRows | undefined {
  try {
    return body.length <= PARSED_BYTES ? parseRows(body) : scanRows(body);
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body. Throws if it isn't valid JSON. */
export function parseRows(body: Uint8Array): JsonRows {
  const value: unknown = JSON.parse(utf8.decode(body));
  if (isRecord(value)) return { kind: 'object', keys: Object.keys(value) };
  if (!Array.isArray(value)) return { kind: 'scalar' };
  const first: unknown = value[0];
  if (value.length === 0) return { kind: 'array', isEmpty: true, keys: [] };
  const names = isRecord(first) ? Object.keys(first) : [];
  const isUniform =
    isRecord(first) &&
    value.every((row: unknown) => {
      if (!isRecord(row)) return false;
      const own = Object.keys(row);
      return own.length === names.length && own.every((name) => Object.hasOwn(first, name));
    });
  return { kind: 'array', isEmpty: false, keys: isUniform ? names : undefined };
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const COMMA = 0x2c;

/** Parses rows like {@link parseRows}, but keeps only one row in memory. @throws {JsonFault} */
export function scanRows(body: Uint8Array): JsonRows {
  if (!isUtf8(body)) throw new JsonFault();
  const isMarked = BYTE_ORDER_MARK.every((byte, index) => body[index] === byte);
  const start = skipSpace(body, isMarked ? BYTE_ORDER_MARK.length : 0);
  const rows = new RowScanner(body);
  switch (body[start]) {
    case OPEN_OBJECT: {
      rows.end(rows.skipRow(start));
      return { kind: 'object', keys: rows.names };
    }
    case OPEN_ARRAY: {
      const isEmpty = rows.skipRows(start);
      return { kind: 'array', isEmpty, keys: isEmpty ? [] : rows.isUniform ? rows.names : undefined };
    }
    default:
      rows.end(skipValue(body, start));
      return { kind: 'scalar' };
  }
}

class RowScanner {
  isUniform = true;
  readonly #body: Uint8Array;
  /**
   * The keys of the first row, each with its index. `#texts` contains the raw text of each key, including its quotes.
   */
  readonly #indexes = new Map<string, number>();
  readonly #texts: Uint8Array[] = [];
  /** For each key's index, the number of the last row that contained the key. */
  readonly #seen: number[] = [];
  #row = 0;

  constructor(body: Uint8Array) {
    this.#body = body;
  }

  get names(): string[] {
    return [...this.#indexes.keys()];
  }

  /** Throws unless only whitespace follows `at`. */
  end(at: number): void {
    if (skipSpace(this.#body, at) !== this.#body.length) throw new JsonFault();
  }

  /** Skips the array that begins at `start`. Returns true if the array is empty. */
  skipRows(start: number): boolean {
    const body = this.#body;
    let at = skipSpace(body, start + 1);
    if (body[at] === CLOSE_ARRAY) {
      this.end(at + 1);
      return true;
    }
    for (;;) {
      if (body[at] === OPEN_OBJECT) {
        at = this.skipRow(at);
      } else {
        this.isUniform = false;
        at = skipValue(body, at);
      }
      at = skipSpace(body, at);
      if (body[at] !== COMMA) break;
      at = skipSpace(body, at + 1);
    }
    this.end(expectByte(body, at, CLOSE_ARRAY));
    return false;
  }

  /** Skips the object that begins at `start` and returns the position after the object. */
  skipRow(start: number): number {
    const body = this.#body;
    const isFirst = this.#row++ === 0;
    let names = 0;
    let at = skipSpace(body, start + 1);
    if (body[at] !== CLOSE_OBJECT) {
      for (;;) {
        const behind = skipString(body, at);
        if (this.#take(at, behind, names, isFirst)) names++;
        at = skipSpace(body, skipValue(body, expectByte(body, behind, 0x3a)));
        if (body[at] !== COMMA) break;
        at = skipSpace(body, at + 1);
      }
    }
    if (names !== this.#indexes.size) this.isUniform = false;
    return expectByte(body, at, CLOSE_OBJECT);
  }

  /**
   * Records a key of the row. Returns false if the row contains the key twice or if the first row doesn't contain the
   * key. `likely` is the index that the key probably has.
   */
  #take(start: number, end: number, likely: number, isFirst: boolean): boolean {
    let index: number | undefined = likely;
    if (isFirst || !this.#isText(likely, start, end)) {
      const text = this.#body.slice(start, end);
      const name = JSON.parse(new TextDecoder().decode(text)) as string;
      index = this.#indexes.get(name);
      if (index === undefined && isFirst) {
        index = this.#texts.push(text) - 1;
        this.#indexes.set(name, index);
      }
    }
    if (index === undefined) {
      this.isUniform = false;
      return false;
    }
    if (this.#seen[index] === this.#row) return false;
    this.#seen[index] = this.#row;
    return true;
  }

  #isText(index: number, start: number, end: number): boolean {
    const text = this.#texts[index];
    if (text === undefined || text.length !== end - start) return false;
    for (let index = 0; index < text.length; index++) {
      if (text[index] !== this.#body[start + index]) return false;
    }
    return true;
  }
}
