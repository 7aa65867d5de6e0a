/**
 * Splits a JSON file into its objects without loading the whole file. The file contains either an array of objects or
 * one object per line (NDJSON). This module only finds where each object ends. The objects are then parsed with
 * JSON.parse.
 */

export interface JsonElement {
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
