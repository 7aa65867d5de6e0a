/**
 * Parses the subset of SQL that log queries support: one SELECT over `logs` (with `source` as a column, as in upstream's
 * ClickHouse) or over the table of one source (with `cross join unnest(metadata)`, as in upstream's BigQuery), with
 * WHERE, GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET. `evaluate.ts` lists the supported functions.
 */
import { LogQueryError, lex, type Token } from './lex.ts';

export type Expression =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  /** A duration in milliseconds. */
  | { readonly kind: 'interval'; readonly ms: number }
  | { readonly kind: 'column'; readonly path: readonly string[] }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly isDistinct: boolean;
    }
  | { readonly kind: 'not' | 'negative' | 'is null'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'in'; readonly operand: Expression; readonly items: readonly Expression[] };

export interface Selected {
  readonly name: string;
  readonly expression: Expression;
}

export interface LogQuery {
  /** Undefined for `select *`. */
  readonly selected: readonly Selected[] | undefined;
  readonly isDistinct: boolean;
  /** `logs`, or the name of a source. */
  readonly from: string;
  /** The names of the table in the query, and the attribute prefix that each alias of an UNNEST stands for. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly having: Expression | undefined;
  readonly orderBy: readonly { readonly expression: Expression; readonly isDescending: boolean }[];
  readonly limit: number | undefined;
  readonly offset: number;
}

/** @throws {LogQueryError} if the query isn't in the supported subset */
export const parseLogQuery = (query: string): LogQuery => new Parser(lex(query)).query();

/** The words that can't be the alias of a column or a table. */
const reserved = new Set(
  'from where group having order limit offset cross left inner join on and or not as union with select'.split(
    ' ',
  ),
);

const unitMs: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

const maxDepth = 50;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  query(): LogQuery {
    this.#require('select');
    const isDistinct = this.#take('distinct');
    const selected = this.#take('*') ? undefined : this.#list(() => this.#selected());
    this.#require('from');
    const from = this.#name().toLowerCase();
    const aliases = this.#aliases(from);
    const where = this.#take('where') ? this.#expression() : undefined;
    const groupBy = this.#takeAll('group', 'by') ? this.#list(() => this.#expression()) : [];
    const having = this.#take('having') ? this.#expression() : undefined;
    const orderBy = this.#takeAll('order', 'by') ? this.#list(() => this.#order()) : [];
    const limit = this.#take('limit') ? this.#count() : undefined;
    const offset = this.#take('offset') ? this.#count() : 0;
    if (this.#next.kind !== 'end') throw this.#unexpected('A log query is a single SELECT from one table.');
    return { selected, isDistinct, from, aliases, where, groupBy, having, orderBy, limit, offset };
  }

  #aliases(from: string): Map<string, string> {
    const aliases = new Map([[from, '']]);
    const own = this.#alias();
    if (own !== undefined) aliases.set(own.toLowerCase(), '');
    for (;;) {
      const isJoin = this.#takeAll('cross', 'join') || this.#takeAll('left', 'join') || this.#take(',');
      if (!isJoin) return aliases;
      if (!this.#takeAll('unnest', '(')) throw this.#unexpected('Only UNNEST can be joined.');
      const path = this.#path();
      this.#require(')');
      const alias = this.#alias();
      if (alias === undefined) throw this.#unexpected('UNNEST needs an alias.');
      if (this.#take('on')) this.#require('true');
      const [first = '', ...rest] = path.map((part) => part.toLowerCase());
      const prefix = aliases.get(first);
      const inner = rest.filter((part) => part !== 'metadata');
      if (first === 'metadata') aliases.set(alias.toLowerCase(), '');
      else if (prefix === undefined) throw new LogQueryError(`UNNEST: ${first} isn't known.`);
      else aliases.set(alias.toLowerCase(), [prefix, ...inner].filter(Boolean).join('.'));
    }
  }

  #selected(): Selected {
    const start = this.#at;
    const expression = this.#expression();
    const alias = this.#alias();
    if (alias !== undefined) return { name: alias, expression };
    if (expression.kind === 'column') return { name: expression.path.at(-1) ?? '', expression };
    const name = this.#tokens.slice(start, this.#at).map(({ text }) => text);
    return { name: name.join(''), expression };
  }

  #alias(): string | undefined {
    if (this.#take('as')) return this.#name();
    const { kind, text } = this.#next;
    if (kind === 'quoted' || (kind === 'word' && !reserved.has(text.toLowerCase()))) return this.#name();
    return undefined;
  }

  #order(): LogQuery['orderBy'][number] {
    const expression = this.#expression();
    const isDescending = this.#take('desc');
    if (!isDescending) this.#take('asc');
    return { expression, isDescending };
  }

  #expression(): Expression {
    if (++this.#depth > maxDepth) throw new LogQueryError('The expression is nested too deeply.');
    let left = this.#conjunction();
    while (this.#take('or')) left = { kind: 'binary', operator: 'or', left, right: this.#conjunction() };
    this.#depth--;
    return left;
  }

  #conjunction(): Expression {
    let left = this.#negation();
    while (this.#take('and')) left = { kind: 'binary', operator: 'and', left, right: this.#negation() };
    return left;
  }

  #negation(): Expression {
    let isNegated = false;
    while (this.#take('not')) isNegated = !isNegated;
    const operand = this.#comparison();
    return isNegated ? { kind: 'not', operand } : operand;
  }

  #comparison(): Expression {
    const left = this.#sum();
    const isNot = this.#take('not');
    const negated = (operand: Expression): Expression => (isNot ? { kind: 'not', operand } : operand);
    for (const operator of ['like', 'ilike'])
      if (this.#take(operator)) return negated({ kind: 'binary', operator, left, right: this.#sum() });
    if (this.#takeAll('in', '(')) {
      const items = this.#list(() => this.#expression());
      this.#require(')');
      return negated({ kind: 'in', operand: left, items });
    }
    if (this.#take('between')) {
      const low: Expression = { kind: 'binary', operator: '>=', left, right: this.#sum() };
      this.#require('and');
      const high: Expression = { kind: 'binary', operator: '<=', left, right: this.#sum() };
      return negated({ kind: 'binary', operator: 'and', left: low, right: high });
    }
    if (isNot) throw this.#unexpected('NOT must be followed by LIKE, ILIKE, IN or BETWEEN.');
    if (this.#take('is')) {
      const isNotNull = this.#take('not');
      this.#require('null');
      const operand: Expression = { kind: 'is null', operand: left };
      return isNotNull ? { kind: 'not', operand } : operand;
    }
    for (const operator of ['=', '!=', '<>', '<=', '>=', '<', '>'])
      if (this.#take(operator)) return { kind: 'binary', operator, left, right: this.#sum() };
    return left;
  }

  #sum(): Expression {
    let left = this.#product();
    for (;;) {
      const operator = ['+', '-', '||'].find((each) => this.#take(each));
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: this.#product() };
    }
  }

  #product(): Expression {
    let left = this.#operand();
    for (;;) {
      const operator = ['*', '/', '%'].find((each) => this.#take(each));
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: this.#operand() };
    }
  }

  #operand(): Expression {
    const { kind, text } = this.#next;
    if (this.#take('-')) return { kind: 'negative', operand: this.#operand() };
    if (this.#take('(')) {
      const inner = this.#expression();
      this.#require(')');
      return inner;
    }
    if (kind === 'number' || kind === 'text') {
      this.#at++;
      return { kind: 'value', value: kind === 'number' ? Number(text) : text };
    }
    if (kind !== 'word' && kind !== 'quoted') throw this.#unexpected();
    const word = text.toLowerCase();
    if (kind === 'word' && reserved.has(word)) throw this.#unexpected();
    if (kind === 'word' && ['null', 'true', 'false'].includes(word)) {
      this.#at++;
      return { kind: 'value', value: word === 'null' ? null : word === 'true' };
    }
    if (word === 'interval') return this.#interval();
    if (word === 'timestamp' && this.#tokens[this.#at + 1]?.kind === 'text') {
      this.#at++;
      return { kind: 'call', name: 'todatetime', args: [this.#operand()], isDistinct: false };
    }
    if (kind === 'word' && this.#tokens[this.#at + 1]?.text === '(') return this.#call(word);
    const path = this.#path();
    if (!this.#take('[')) return { kind: 'column', path };
    const { kind: keyKind, text: key } = this.#next;
    if (keyKind !== 'text' || path.at(-1)?.toLowerCase() !== 'log_attributes')
      throw this.#unexpected("Write log_attributes['name'].");
    this.#at++;
    this.#require(']');
    return { kind: 'column', path: ['log_attributes', key] };
  }

  #interval(): Expression {
    this.#at++;
    const { text, kind } = this.#next;
    const count = Number(text);
    if (!['number', 'text'].includes(kind) || !Number.isFinite(count)) throw this.#unexpected();
    this.#at++;
    const unit = unitMs[this.#next.text.toLowerCase().replace(/s$/, '')];
    if (unit === undefined) throw this.#unexpected(`Units: ${Object.keys(unitMs).join(', ')}.`);
    this.#at++;
    return { kind: 'interval', ms: count * unit };
  }

  #call(name: string): Expression {
    this.#at += 2;
    if (name === 'cast' || name === 'safe_cast') {
      const operand = this.#expression();
      this.#require('as');
      const type = this.#name().toLowerCase();
      this.#require(')');
      return {
        kind: 'call',
        name: 'cast',
        args: [operand, { kind: 'value', value: type }],
        isDistinct: false,
      };
    }
    const isDistinct = this.#take('distinct');
    if (this.#take(')')) return { kind: 'call', name, args: [], isDistinct };
    if (name === 'count' && this.#takeAll('*', ')')) return { kind: 'call', name, args: [], isDistinct };
    const args = this.#list(() => this.#expression());
    this.#require(')');
    return { kind: 'call', name, args, isDistinct };
  }

  #path(): string[] {
    const path = [this.#name()];
    while (this.#take('.')) path.push(this.#name());
    return path;
  }

  #list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.#take(',')) items.push(item());
    return items;
  }

  #name(): string {
    const { kind, text } = this.#next;
    if (kind !== 'word' && kind !== 'quoted') throw this.#unexpected();
    this.#at++;
    return text;
  }

  #count(): number {
    const { kind, text } = this.#next;
    if (kind !== 'number' || !/^\d+$/.test(text)) throw this.#unexpected();
    this.#at++;
    return Number(text);
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', at: 0 };
  }

  #is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return (token?.kind === 'word' || token?.kind === 'sign') && token.text.toLowerCase() === text;
  }

  #take(text: string): boolean {
    const isNext = this.#is(text);
    if (isNext) this.#at++;
    return isNext;
  }

  #takeAll(...texts: readonly string[]): boolean {
    const areNext = texts.every((text, index) => this.#is(text, index));
    if (areNext) this.#at += texts.length;
    return areNext;
  }

  #require(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(`Expected ${text.toUpperCase()}.`);
  }

  #unexpected(advice = ''): LogQueryError {
    const { text, at } = this.#next;
    return new LogQueryError(`Unexpected ${text} at position ${at}. ${advice}`.trim());
  }
}
