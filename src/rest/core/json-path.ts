/**
 * JSONPath queries (RFC 9535): children, indexes, slices, wildcards, descendants, unions and filters. The only
 * supported function extension is `search`, as in PostgREST 16. Pure.
 */

/** Returns the values that a query selects, in order. */
export type JsonPath = (root: unknown) => unknown[];

type Select = (node: unknown, root: unknown) => unknown[];
type Test = (node: unknown, root: unknown) => boolean;
/** Returns one side of a comparison, or `NOTHING` if its query selected no value. */
type Operand = (node: unknown, root: unknown) => unknown;

const NOTHING = Symbol('nothing');

/**
 * Parses a JSONPath query. Returns undefined if the text is invalid.
 *
 * @example
 * readJsonPath('$.roles[?(@ == "author")]')?.({ roles: ['other', 'author'] }); // ['author']
 */
export function readJsonPath(text: string): JsonPath | undefined {
  try {
    const reader = new Reader(text);
    reader.expect('$');
    const select = reader.segments();
    reader.end();
    return (root) => select(root, root);
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

class PathError extends Error {}

const NAME = /[\p{L}_\u{80}-\u{10FFFF}][\p{L}\p{N}_\u{80}-\u{10FFFF}]*/uy;
const INTEGER = /0|-?[1-9]\d*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const COMPARISON = /==|!=|<=|>=|<|>/y;
const SPACE = /[ \t\n\r]*/y;
/** Limits recursion. Real paths are far shorter. */
const MAX_DEPTH = 50;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    if (this.#at !== this.#text.length) throw new PathError();
  }

  expect(literal: string): void {
    if (!this.#take(literal)) throw new PathError();
  }

  segments(): Select {
    const steps: Select[] = [];
    for (;;) {
      const before = this.#at;
      this.#space();
      if (this.#take('..')) {
        const inner = this.#peek('[') ? this.#bracketed() : this.#shorthand();
        steps.push((node, root) => descendants(node).flatMap((one) => inner(one, root)));
      } else if (this.#take('.')) steps.push(this.#shorthand());
      else if (this.#peek('[')) steps.push(this.#bracketed());
      else {
        this.#at = before;
        return (node, root) => steps.reduce((nodes, step) => nodes.flatMap((one) => step(one, root)), [node]);
      }
    }
  }

  #shorthand(): Select {
    if (this.#take('*')) return children;
    return child(this.#match(NAME));
  }

  #bracketed(): Select {
    this.expect('[');
    const selectors: Select[] = [];
    do {
      this.#space();
      selectors.push(this.#selector());
      this.#space();
    } while (this.#take(','));
    this.expect(']');
    return (node, root) => selectors.flatMap((select) => select(node, root));
  }

  #selector(): Select {
    if (this.#take('*')) return children;
    if (this.#take('?')) {
      this.#space();
      const test = this.#or();
      return (node, root) => children(node).filter((one) => test(one, root));
    }
    const quoted = this.#string();
    if (quoted !== undefined) return child(quoted);
    const first = this.#optional(INTEGER);
    this.#space();
    if (!this.#take(':')) {
      if (first === undefined) throw new PathError();
      return (node) => at(node, Number(first));
    }
    this.#space();
    const last = this.#optional(INTEGER);
    this.#space();
    const step = this.#take(':') ? this.#optionalNext(INTEGER) : undefined;
    return slice(numberOf(first), numberOf(last), numberOf(step) ?? 1);
  }

  #or(): Test {
    if (++this.#depth > MAX_DEPTH) throw new PathError();
    const tests = [this.#and()];
    while (this.#takeNext('||')) tests.push(this.#and());
    this.#depth--;
    return (node, root) => tests.some((test) => test(node, root));
  }

  #and(): Test {
    const tests = [this.#basic()];
    while (this.#takeNext('&&')) tests.push(this.#basic());
    return (node, root) => tests.every((test) => test(node, root));
  }

  #basic(): Test {
    this.#space();
    if (this.#take('!')) {
      const test = this.#basic();
      return (node, root) => !test(node, root);
    }
    if (this.#take('(')) {
      const test = this.#or();
      this.#space();
      this.expect(')');
      return test;
    }
    if (this.#take('search(')) return this.#search();
    const isQuery = this.#peek('@') || this.#peek('$');
    const start = this.#at;
    const left = this.#operand();
    const afterLeft = this.#at;
    this.#space();
    const operator = this.#optional(COMPARISON);
    if (operator !== undefined) {
      this.#space();
      const right = this.#operand();
      return (node, root) => compares(left(node, root), operator, right(node, root));
    }
    if (!isQuery) throw new PathError();
    this.#at = start;
    const query = this.#query();
    this.#at = afterLeft;
    return (node, root) => query(node, root).length > 0;
  }

  #search(): Test {
    this.#space();
    const subject = this.#operand();
    this.#space();
    this.expect(',');
    this.#space();
    const pattern = this.#operand();
    this.#space();
    this.expect(')');
    return (node, root) => {
      const [value, expression] = [subject(node, root), pattern(node, root)];
      return typeof value === 'string' && typeof expression === 'string' && searches(value, expression);
    };
  }

  #operand(): Operand {
    if (this.#peek('@') || this.#peek('$')) {
      const query = this.#query();
      return (node, root) => {
        const found = query(node, root);
        return found.length === 1 ? found[0] : NOTHING;
      };
    }
    const literal = this.#literal();
    return () => literal;
  }

  #query(): Select {
    const isRelative = this.#take('@');
    if (!isRelative) this.expect('$');
    const select = this.segments();
    return (node, root) => select(isRelative ? node : root, root);
  }

  #literal(): unknown {
    const quoted = this.#string();
    if (quoted !== undefined) return quoted;
    if (this.#take('true')) return true;
    if (this.#take('false')) return false;
    if (this.#take('null')) return null;
    return Number(this.#match(NUMBER));
  }

  #string(): string | undefined {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return undefined;
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote) end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) throw new PathError();
    const inner = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    // Converts the literal to a JSON string, in which only double quotes are escaped.
    const json = inner.replace(/\\(.)|"/gs, (found, escaped) =>
      found === '"' ? '\\"' : escaped === "'" ? "'" : found,
    );
    try {
      return JSON.parse(`"${json}"`) as string;
    } catch {
      throw new PathError();
    }
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0;
  }

  #peek = (literal: string): boolean => this.#text.startsWith(literal, this.#at);

  /** Also skips whitespace before the literal. */
  #takeNext(literal: string): boolean {
    this.#space();
    return this.#take(literal);
  }

  #optionalNext(pattern: RegExp): string | undefined {
    this.#space();
    return this.#optional(pattern);
  }

  #take(literal: string): boolean {
    if (!this.#peek(literal)) return false;
    this.#at += literal.length;
    return true;
  }

  #optional(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #match(pattern: RegExp): string {
    const found = this.#optional(pattern);
    if (found === undefined) throw new PathError();
    return found;
  }
}

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

const children = (node: unknown): unknown[] =>
  typeof node === 'object' && node !== null ? Object.values(node) : [];

const child =
  (name: string): Select =>
  (node) =>
    typeof node === 'object' && node !== null && !Array.isArray(node) && Object.hasOwn(node, name)
      ? [(node as Record<string, unknown>)[name]]
      : [];

function at(node: unknown, index: number): unknown[] {
  if (!Array.isArray(node)) return [];
  const place = index < 0 ? node.length + index : index;
  return place >= 0 && place < node.length ? [node[place]] : [];
}

function descendants(node: unknown): unknown[] {
  return [node, ...children(node).flatMap(descendants)];
}

/** RFC 9535 section 2.3.4.2. */
function slice(start: number | undefined, end: number | undefined, step: number): Select {
  return (node) => {
    if (!Array.isArray(node) || step === 0) return [];
    const { length } = node;
    const place = (index: number) => (index < 0 ? length + index : index);
    const clamp = (index: number, low: number, high: number) => Math.min(Math.max(index, low), high);
    const found: unknown[] = [];
    if (step > 0) {
      const upper = clamp(place(end ?? length), 0, length);
      for (let index = clamp(place(start ?? 0), 0, length); index < upper; index += step)
        found.push(node[index]);
    } else {
      const lower = end === undefined ? -1 : clamp(place(end), -1, length - 1);
      const upper = clamp(place(start ?? length - 1), -1, length - 1);
      for (let index = upper; index > lower; index += step) found.push(node[index]);
    }
    return found;
  };
}

/** RFC 9535 section 2.3.5.2.2. */
function compares(left: unknown, operator: string, right: unknown): boolean {
  switch (operator) {
    case '==':
      return equals(left, right);
    case '!=':
      return !equals(left, right);
    case '<':
      return precedes(left, right);
    case '>':
      return precedes(right, left);
    case '<=':
      return precedes(left, right) || equals(left, right);
    default:
      return precedes(right, left) || equals(left, right);
  }
}

function equals(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null)
    return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  return (
    names.length === others.length &&
    names.every(
      (name) =>
        Object.hasOwn(right, name) &&
        equals((left as Record<string, unknown>)[name], (right as Record<string, unknown>)[name]),
    )
  );
}

function precedes(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  return typeof left === 'string' && typeof right === 'string' && left < right;
}

function searches(value: string, expression: string): boolean {
  try {
    return new RegExp(expression, 'u').test(value);
  } catch {
    return false;
  }
}
