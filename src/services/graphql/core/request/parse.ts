/** Parses a GraphQL document. Accepts executable definitions only, as upstream does. */

import { GraphqlError } from '../error.ts';
import type {
  Argument,
  DirectiveNode,
  Document,
  Fragment,
  Literal,
  Operation,
  Selection,
  VariableDefinition,
} from './ast.ts';
import { nextToken, syntaxError, type Token, type TokenKind } from './tokens.ts';

/** The deepest nesting of braces, brackets and parentheses. Deeper documents could exhaust the stack. */
const MAX_NESTING = 500;

/**
 * Parses a document.
 *
 * @throws a GraphqlError for a syntax error.
 */
export const parse = (source: string): Document => new Parser(source).document();

class Parser {
  readonly #source: string;
  #token: Token;
  #end: number;
  #nesting = 0;

  constructor(source: string) {
    this.#source = source;
    const first = nextToken(source, 0);
    this.#token = first.token;
    this.#end = first.end;
  }

  document(): Document {
    const operations: Operation[] = [];
    const fragments: Fragment[] = [];
    do {
      if (this.#isName('fragment')) fragments.push(this.#fragment());
      else operations.push(this.#operation());
    } while (this.#token.kind !== 'end');
    return { operations, fragments };
  }

  #operation(): Operation {
    if (this.#isPunctuator('{')) {
      return { kind: 'query', name: null, variables: [], selections: this.#selections() };
    }
    const kind = this.#token.text;
    if (this.#token.kind !== 'name' || (kind !== 'query' && kind !== 'mutation' && kind !== 'subscription')) {
      throw this.#unexpected('`{`, `query`, `mutation`, `subscription` or `fragment`');
    }
    this.#advance();
    const name = this.#token.kind === 'name' ? this.#name() : null;
    const variables = this.#isPunctuator('(') ? this.#list('(', ')', () => this.#variable()) : [];
    this.#directives();
    return { kind, name, variables, selections: this.#selections() };
  }

  #variable(): VariableDefinition {
    this.#punctuator('$');
    const name = this.#name();
    this.#punctuator(':');
    this.#type();
    const value = this.#skip('=') ? this.#value() : null;
    this.#directives();
    return { name, default: value };
  }

  /** Skips a type. Values are checked against the type of the argument that they're used for. */
  #type(): void {
    if (this.#isPunctuator('[')) {
      this.#enter();
      this.#type();
      this.#leave(']');
    } else this.#name();
    this.#skip('!');
  }

  #fragment(): Fragment {
    this.#advance();
    const name = this.#name();
    if (name === 'on') throw this.#unexpected('a fragment name');
    const on = this.#typeCondition();
    this.#directives();
    return { name, on, selections: this.#selections() };
  }

  #typeCondition(): string {
    if (!this.#isName('on')) throw this.#unexpected('`on`');
    this.#advance();
    return this.#name();
  }

  #selections(): readonly Selection[] {
    return this.#list('{', '}', () => this.#selection());
  }

  #selection(): Selection {
    if (!this.#skip('...')) return this.#field();
    if (this.#token.kind === 'name' && this.#token.text !== 'on') {
      return { kind: 'spread', fragment: this.#name(), directives: this.#directives() };
    }
    const on = this.#isName('on') ? this.#typeCondition() : null;
    const directives = this.#directives();
    return { kind: 'inline', on, directives, selections: this.#selections() };
  }

  #field(): Selection {
    const key = this.#name();
    const name = this.#skip(':') ? this.#name() : key;
    const args = this.#arguments();
    const directives = this.#directives();
    const selections = this.#isPunctuator('{') ? this.#selections() : [];
    return { kind: 'field', key, name, arguments: args, directives, selections };
  }

  #arguments(): readonly Argument[] {
    if (!this.#isPunctuator('(')) return [];
    return this.#list('(', ')', () => {
      const name = this.#name();
      this.#punctuator(':');
      return { name, value: this.#value() };
    });
  }

  #directives(): readonly DirectiveNode[] {
    const directives: DirectiveNode[] = [];
    while (this.#skip('@')) directives.push({ name: this.#name(), arguments: this.#arguments() });
    return directives;
  }

  #value(): Literal {
    const { kind, text } = this.#token;
    if (kind === 'int' || kind === 'float' || kind === 'string') {
      this.#advance();
      return { kind, text };
    }
    if (kind === 'name') {
      this.#advance();
      if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true' };
      return text === 'null' ? { kind: 'null' } : { kind: 'enum', text };
    }
    if (this.#skip('$')) return { kind: 'variable', name: this.#name() };
    if (this.#isPunctuator('[')) {
      return { kind: 'list', items: this.#items('[', ']', () => this.#value()) };
    }
    if (this.#isPunctuator('{')) {
      const entries = this.#items('{', '}', () => {
        const name = this.#name();
        this.#punctuator(':');
        return [name, this.#value()] as const;
      });
      return { kind: 'object', entries };
    }
    throw this.#unexpected('a value');
  }

  /** Parses at least one item between two punctuators. */
  #list<T>(open: string, close: string, item: () => T): readonly T[] {
    if (!this.#isPunctuator(open)) throw this.#unexpected(`\`${open}\``);
    this.#enter();
    const items = [item()];
    while (!this.#isPunctuator(close)) items.push(item());
    this.#leave(close);
    return items;
  }

  /** Parses any number of items between two punctuators. */
  #items<T>(open: string, close: string, item: () => T): readonly T[] {
    this.#enter(open);
    const items: T[] = [];
    while (!this.#isPunctuator(close)) items.push(item());
    this.#leave(close);
    return items;
  }

  #enter(open = this.#token.text): void {
    this.#punctuator(open);
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) {
      throw new GraphqlError(`The query is nested deeper than ${MAX_NESTING} levels`);
    }
  }

  #leave(close: string): void {
    this.#punctuator(close);
    this.#nesting -= 1;
  }

  #name(): string {
    if (this.#token.kind !== 'name') throw this.#unexpected('a name');
    const { text } = this.#token;
    this.#advance();
    return text;
  }

  #punctuator(text: string): void {
    if (!this.#skip(text)) throw this.#unexpected(`\`${text}\``);
  }

  #skip(text: string): boolean {
    const matches = this.#isPunctuator(text);
    if (matches) this.#advance();
    return matches;
  }

  #isPunctuator = (text: string): boolean => this.#is('punctuator', text);
  #isName = (text: string): boolean => this.#is('name', text);
  #is = (kind: TokenKind, text: string): boolean => this.#token.kind === kind && this.#token.text === text;

  #advance(): void {
    const { token, end } = nextToken(this.#source, this.#end);
    this.#token = token;
    this.#end = end;
  }

  #unexpected(expected: string): GraphqlError {
    const { kind, text, position } = this.#token;
    const found = kind === 'end' ? 'end of input' : `\`${text}\``;
    return syntaxError(this.#source, position, `Unexpected ${found}\nExpected ${expected}`);
  }
}
