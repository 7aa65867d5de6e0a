/**
 * The objects of a JSON file, one by one and without the whole of it in memory: an array of objects, or one object a
 * line (NDJSON). Only where each ends is found here; reading it is JSON.parse's.
 */

export interface JsonElement {
  readonly text: string;
  /** Line of the file, from 1, on which it begins. */
  readonly line: number;
}

/** What stands between objects makes no sense there. */
export class JsonShapeError extends Error {
  readonly line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Fed with pieces of a file in order. */
export class JsonElements {
  #text = '';
  #line = 1;
  #startLine = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inArray = false;
  #ended = false;

  /** Line of the file, from 1, that the last piece ended on. */
  get line(): number {
    return this.#line;
  }

  /** The objects that end in this piece. @throws {JsonShapeError} */
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

  /** @throws {JsonShapeError} when the file ends too early. */
  end(): void {
    if (this.#depth > 0) throw new JsonShapeError('The last object is cut off.', this.#line);
    if (this.#inArray && !this.#ended) throw new JsonShapeError('The array is never closed.', this.#line);
  }

  /** True when the object ends here. */
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
