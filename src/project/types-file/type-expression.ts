/**
 * Parses TypeScript type expressions. Supports only the syntax of generated types. The file is parsed but never
 * executed.
 */
import { lexTypes, type TypeToken } from './lex.ts';

export type TypeNode =
  | { readonly kind: 'name'; readonly name: string; readonly parameters: readonly TypeNode[] }
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'union'; readonly of: readonly TypeNode[] }
  | { readonly kind: 'intersection'; readonly of: readonly TypeNode[] }
  | { readonly kind: 'array'; readonly of: TypeNode }
  | { readonly kind: 'tuple'; readonly of: readonly TypeNode[] }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  /** A type such as `Database["public"]["Enums"]["role"]`. */
  | { readonly kind: 'indexed'; readonly of: TypeNode; readonly index: TypeNode }
  /** A type that doesn't describe a database, such as a function or a conditional type. */
  | { readonly kind: 'other' };

export interface Member {
  readonly name: string;
  readonly optional: boolean;
  readonly type: TypeNode;
}

/** The maximum depth to which types are parsed. Generated types have about eight levels. */
const deepest = 100;

const other: TypeNode = { kind: 'other' };

/**
 * Returns the types that are declared at the top level of the file, except types with parameters. Declarations that
 * can't be parsed are omitted.
 *
 * @example readDeclarations('export type A = string | null').get('A'); // { kind: 'union', … }
 */
export function readDeclarations(text: string): ReadonlyMap<string, TypeNode> {
  const tokens = lexTypes(text);
  const found = new Map<string, TypeNode>();
  let depth = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as TypeToken;
    if (token.kind === 'punctuation' && '{(['.includes(token.text)) depth++;
    if (token.kind === 'punctuation' && '})]'.includes(token.text)) depth = Math.max(0, depth - 1);
    if (depth > 0 || token.kind !== 'name' || tokens[at + 1]?.kind !== 'name') continue;
    const name = tokens[at + 1]?.text ?? '';
    const parser = new Parser(tokens, at + 2);
    const type =
      token.text === 'type' && parser.take('=')
        ? parser.type()
        : token.text === 'interface'
          ? parser.interfaceBody()
          : undefined;
    if (type === undefined) continue;
    found.set(name, type);
    at = parser.at - 1;
  }
  return found;
}

/**
 * Parses the syntax that the parser supports, and returns `other` for everything else. Each iteration of a loop
 * consumes at least one token, or the loop ends.
 */
class Parser {
  readonly #tokens: readonly TypeToken[];
  at: number;
  #depth = 0;

  constructor(tokens: readonly TypeToken[], at: number) {
    this.#tokens = tokens;
    this.at = at;
  }

  #is(text: string): boolean {
    const token = this.#tokens[this.at];
    return token !== undefined && token.kind !== 'string' && token.text === text;
  }

  take(text: string): boolean {
    if (!this.#is(text)) return false;
    this.at++;
    return true;
  }

  interfaceBody(): TypeNode | undefined {
    const parts: TypeNode[] = [];
    if (this.take('extends')) {
      do parts.push(this.#postfix());
      while (this.take(','));
    }
    if (!this.#is('{')) return undefined;
    const body = this.#object();
    return parts.length === 0 ? body : { kind: 'intersection', of: [...parts, body] };
  }

  type(): TypeNode {
    if (this.#depth >= deepest) {
      this.at = this.#tokens.length;
      return other;
    }
    this.#depth++;
    const type = this.#type();
    this.#depth--;
    return type;
  }

  #type(): TypeNode {
    const node = this.#joined('|', 'union', () => this.#joined('&', 'intersection', () => this.#postfix()));
    if (!this.#is('extends')) return node;
    // A question mark here begins a conditional type.
    this.at++;
    this.type();
    if (this.take('?')) {
      this.type();
      if (this.take(':')) this.type();
    }
    return other;
  }

  #joined(sign: string, kind: 'union' | 'intersection', part: () => TypeNode): TypeNode {
    this.take(sign);
    const parts = [part()];
    while (this.take(sign)) parts.push(part());
    return parts.length === 1 ? (parts[0] as TypeNode) : { kind, of: parts };
  }

  #postfix(): TypeNode {
    let node = this.#primary();
    while (this.take('[')) {
      if (this.take(']')) node = { kind: 'array', of: node };
      else {
        const index = this.type();
        this.#skipTo(']');
        node = { kind: 'indexed', of: node, index };
      }
    }
    return node;
  }

  #primary(): TypeNode {
    const token = this.#tokens[this.at];
    if (token === undefined) return other;
    if (token.kind === 'string' || token.kind === 'number') {
      this.at++;
      return { kind: 'literal', value: token.text };
    }
    if (token.kind === 'name') return this.#name(token.text);
    if (token.text === '{') return this.#object();
    if (token.text === '[') return this.#tuple();
    if (token.text === '(') return this.#parenthesis();
    // A token that can't begin a type is left for the calling function.
    if (!'})],;|&>='.includes(token.text)) this.at++;
    return other;
  }

  #name(name: string): TypeNode {
    this.at++;
    if (name === 'readonly') return this.#postfix();
    if (name === 'keyof' || name === 'typeof' || name === 'infer' || name === 'unique') {
      this.#postfix();
      return other;
    }
    while (this.take('.')) this.at++;
    const parameters: TypeNode[] = [];
    if (this.take('<')) {
      while (!this.#is('>') && this.at < this.#tokens.length) {
        const before = this.at;
        parameters.push(this.type());
        if (!this.take(',') && !this.#is('>')) break;
        if (this.at === before) break;
      }
      this.#skipTo('>');
    }
    return { kind: 'name', name, parameters };
  }

  #tuple(): TypeNode {
    this.at++;
    const of: TypeNode[] = [];
    while (!this.#is(']') && this.at < this.#tokens.length) {
      const before = this.at;
      of.push(this.type());
      if (!this.take(',')) break;
      if (this.at === before) break;
    }
    this.#skipTo(']');
    return { kind: 'tuple', of };
  }

  #parenthesis(): TypeNode {
    this.at++;
    const start = this.at;
    const inner = this.type();
    const isSimple = this.#is(')');
    if (!isSimple) this.at = start;
    this.#skipTo(')');
    if (!this.take('=>')) return isSimple ? inner : other;
    this.type();
    return other;
  }

  #object(): TypeNode {
    this.at++;
    const members: Member[] = [];
    while (!this.#is('}') && this.at < this.#tokens.length) {
      const before = this.at;
      const member = this.#member();
      if (member !== undefined) members.push(member);
      while (this.take(',') || this.take(';'));
      if (this.at === before) this.at++;
    }
    this.at++;
    return { kind: 'object', members };
  }

  /** Returns a member, or undefined for an index signature or a method, because neither of them can be a column. */
  #member(): Member | undefined {
    if (this.take('[')) {
      this.#skipTo(']');
      this.take('?');
      if (this.take(':')) this.type();
      return undefined;
    }
    const token = this.#tokens[this.at];
    if (token === undefined || token.kind === 'punctuation') return undefined;
    const next = this.#tokens[this.at + 1];
    if (
      token.text === 'readonly' &&
      token.kind === 'name' &&
      (next?.kind === 'name' || next?.kind === 'string')
    ) {
      this.at++;
      return this.#member();
    }
    this.at++;
    const optional = this.take('?');
    if (!this.take(':')) return undefined;
    return { name: token.text, optional, type: this.type() };
  }

  /** Skips all tokens up to the closing token of the current bracket. */
  #skipTo(close: string): void {
    for (let depth = 0; this.at < this.#tokens.length; this.at++) {
      const { kind, text } = this.#tokens[this.at] as TypeToken;
      if (kind !== 'punctuation') continue;
      if (depth === 0 && text === close) {
        this.at++;
        return;
      }
      if ('{(['.includes(text)) depth++;
      if ('})]'.includes(text)) {
        if (depth === 0) return;
        depth--;
      }
    }
  }
}
