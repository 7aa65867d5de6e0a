/** Parses and evaluates filters (RFC 7644 section 3.4.2.2). */
import { isJsonObject, type Json, type JsonObject } from '../../common/json.ts';
import { ScimError } from './errors.ts';

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly inner: Filter }
  | { readonly kind: 'some'; readonly path: readonly string[]; readonly inner: Filter }
  | {
      readonly kind: 'compare';
      readonly path: readonly string[];
      readonly op: Comparison;
      readonly value: Literal;
    }
  | { readonly kind: 'present'; readonly path: readonly string[] };

type Literal = string | number | boolean | null;
const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
type Comparison = (typeof comparisons)[number];

const maxLength = 2000;
const maxDepth = 20;
/** Strings, brackets, and words, which include attribute paths, numbers and operators. */
const tokenFormat = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y;

/** @throws {ScimError} invalidFilter */
export function parseFilter(text: string): Filter {
  const parser = new Parser(tokensOf(text));
  const filter = parser.or(0);
  parser.end();
  return filter;
}

const invalid = (detail: string): ScimError => new ScimError(400, detail, 'invalidFilter');

function tokensOf(text: string): string[] {
  if (text.length > maxLength) throw invalid('The filter is too long');
  const tokens: string[] = [];
  const format = new RegExp(tokenFormat);
  while (format.lastIndex < text.trimEnd().length) {
    const match = format.exec(text);
    if (match === null) throw invalid('The filter contains an unclosed string');
    tokens.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  #isWord(word: string): boolean {
    return this.#tokens[this.#at]?.toLowerCase() === word;
  }

  #take(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw invalid('The filter ends too early');
    this.#at += 1;
    return token;
  }

  #expect(token: string): void {
    if (this.#take() !== token) throw invalid(`The filter needs "${token}"`);
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw invalid('The filter continues after its end');
  }

  or(depth: number): Filter {
    if (depth > maxDepth) throw invalid('The filter is nested too deeply');
    let left = this.#and(depth);
    while (this.#isWord('or')) {
      this.#at += 1;
      left = { kind: 'or', left, right: this.#and(depth) };
    }
    return left;
  }

  #and(depth: number): Filter {
    let left = this.#term(depth);
    while (this.#isWord('and')) {
      this.#at += 1;
      left = { kind: 'and', left, right: this.#term(depth) };
    }
    return left;
  }

  #term(depth: number): Filter {
    if (this.#isWord('not')) {
      this.#at += 1;
      this.#expect('(');
      const inner = this.or(depth + 1);
      this.#expect(')');
      return { kind: 'not', inner };
    }
    if (this.#isWord('(')) {
      this.#at += 1;
      const inner = this.or(depth + 1);
      this.#expect(')');
      return inner;
    }
    const path = parsePath(this.#take());
    if (this.#isWord('[')) {
      this.#at += 1;
      const inner = this.or(depth + 1);
      this.#expect(']');
      return { kind: 'some', path, inner };
    }
    const op = this.#take().toLowerCase();
    if (op === 'pr') return { kind: 'present', path };
    const comparison = comparisons.find((one) => one === op);
    if (comparison === undefined) throw invalid(`Unknown operator "${op.slice(0, 20)}"`);
    return { kind: 'compare', path, op: comparison, value: literalOf(this.#take()) };
  }
}

/** Parses an attribute path. A URN before the attribute is one part, because it contains dots. */
export function parsePath(text: string): string[] {
  const urn = /^(urn:[^\s]*:(?:User|Group))(?::(.+))?$/i.exec(text);
  const isCore = urn?.[1] !== undefined && /:core:2\.0:/i.test(urn[1]);
  const rest = urn === null ? text : (urn[2] ?? '');
  const names = rest === '' ? [] : rest.split('.');
  if (!names.every((name) => /^\$?[A-Za-z][\w-]*$/.test(name))) throw invalid('Invalid attribute');
  if (urn?.[1] === undefined || isCore) return names;
  return [urn[1], ...names];
}

function literalOf(token: string): Literal {
  const word = /^(true|false|null)$/i.test(token) ? token.toLowerCase() : token;
  try {
    const value: unknown = JSON.parse(word);
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as Literal;
  } catch {
    // Reported below.
  }
  throw invalid('A value in the filter is neither a string nor a number nor a boolean');
}

/** Whether a resource or a value of an attribute satisfies the filter. */
export function matches(filter: Filter, value: Json): boolean {
  switch (filter.kind) {
    case 'and':
      return matches(filter.left, value) && matches(filter.right, value);
    case 'or':
      return matches(filter.left, value) || matches(filter.right, value);
    case 'not':
      return !matches(filter.inner, value);
    case 'some':
      return valuesAt(value, filter.path).some((each) => matches(filter.inner, each));
    case 'present':
      return valuesAt(value, filter.path).length > 0;
    case 'compare': {
      const values = valuesAt(value, filter.path).map(plainOf);
      if (filter.op === 'ne') return !values.some((each) => compare('eq', each, filter));
      return values.some((each) => compare(filter.op, each, filter));
    }
  }
}

/** A comparison with a complex value compares its `value`. */
const plainOf = (value: Json): Json => (isJsonObject(value) ? (value.value ?? null) : value);

const exact: ReadonlySet<string> = new Set(['externalid', 'id', 'value']);

function compare(
  op: Comparison,
  value: Json,
  { path, value: wanted }: { readonly path: readonly string[]; readonly value: Literal },
): boolean {
  if (typeof value === 'boolean' && typeof wanted === 'string')
    return op === 'eq' && String(value) === wanted.toLowerCase();
  if (typeof value !== 'string' || typeof wanted !== 'string') return op === 'eq' && value === wanted;
  const isExact = exact.has(path.at(-1)?.toLowerCase() ?? '');
  const [one, other] = isExact ? [value, wanted] : [value.toLowerCase(), wanted.toLowerCase()];
  switch (op) {
    case 'eq':
      return one === other;
    case 'ne':
      return one !== other;
    case 'co':
      return one.includes(other);
    case 'sw':
      return one.startsWith(other);
    case 'ew':
      return one.endsWith(other);
    case 'gt':
      return one > other;
    case 'ge':
      return one >= other;
    case 'lt':
      return one < other;
    case 'le':
      return one <= other;
  }
}

/** Returns the values at a path. Lists on the way are flattened. Names are case-insensitive. */
function valuesAt(value: Json, path: readonly string[]): Json[] {
  const [name, ...rest] = path;
  if (name === undefined) return Array.isArray(value) ? value : [value];
  const members = (Array.isArray(value) ? value : [value]).filter(isJsonObject);
  return members.flatMap((each: JsonObject) => {
    const key = Object.keys(each).find((one) => one.toLowerCase() === name.toLowerCase());
    const found = key === undefined ? undefined : each[key];
    return found === undefined || found === null ? [] : valuesAt(found, rest);
  });
}

/** Returns the value if the filter is `NAME eq "VALUE"`, which the database can answer with an index. */
export function equalityOf(filter: Filter, name: string): string | undefined {
  const isEquality =
    filter.kind === 'compare' &&
    filter.op === 'eq' &&
    filter.path.length === 1 &&
    filter.path[0]?.toLowerCase() === name.toLowerCase();
  return isEquality && typeof filter.value === 'string' ? filter.value : undefined;
}
