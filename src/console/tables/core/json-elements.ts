/**
 * Splits a JSON file into its objects without loading the whole file: an array of objects, or one object per line (NDJSON).
 * This module finds only the end of each object; JSON.parse reads it.
 */

export interface JsonElement {
  readonly text: string;
  /** The one-based line on which the row begins. */
  readonly line: number;
}

/** An error for unexpected text between objects. */
export class JsonShapeError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Receives the chunks of a file in order. */
export class JsonElements {
  #text = '';
  #line = 1;
  #startLine = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inArray = false;
  #ended = false;

  /** The one-based line at the end of the last chunk. */
  get line(): number {
    return this.#line;
  }

  /** Returns the objects that end in this chunk. @throws {JsonShapeError} */
  *push(piece: string): Generator<JsonElement> {
    let start = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < piece.length; at++) {
      const char = piece[at] as string;
      if (char === '\n') this.#line++;
      if (this.#depth > 0) {
        if (!this.#within(char)) continue;
        yield { text: this.#text + piece.slice(start, at + 1), line: this.#startLine };
        this.#text = '';
        start = -1;
      } else if (char === '{' && !this.#ended) {
        this.#depth = 1;
        this.#startLine = this.#line;
        start = at;
      } else this.#between(char);
    }
    if (start >= 0) this.#text += piece.slice(start);
  }

  /** @throws {JsonShapeError} if the file ends too early */
  end(): void {
    if (this.#depth > 0) throw new JsonShapeError('The last object is cut off.', this.#line);
    if (this.#inArray && !this.#ended) throw new JsonShapeError('The array is never closed.', this.#line);
  }

  /** Returns true if the object ends here. */
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
    else throw new JsonShapeError(`An object was expected, not ${JSON.stringify(char)}.`, this.#line);
  }
}
