/**
 * Parser combinators that report errors like Haskell's Parsec 3. Parsers don't backtrack after they have consumed
 * input, and errors at the furthest position are merged. PGRST100 errors that PostgREST's clients receive contain the
 * merged messages, so Plinth's messages must be identical. The grammar is in `grammar.ts`.
 */

export interface Position {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/** The kinds of messages, in the order in which an error lists them. */
const SYSTEM_UNEXPECTED = 0;
const UNEXPECTED = 1;
const EXPECTED = 2;

interface Message {
  readonly kind: 0 | 1 | 2;
  /**
   * The text of the message. For SYSTEM_UNEXPECTED, the text is the raw character, or an empty string at the end of the
   * input. The character is formatted only when the message is reported.
   */
  readonly text: string;
}

export interface ParseError {
  readonly at: Position;
  readonly messages: readonly Message[];
}

type Reply<T> =
  | {
      readonly ok: true;
      readonly consumed: boolean;
      readonly value: T;
      readonly at: Position;
      readonly error: ParseError;
    }
  | { readonly ok: false; readonly consumed: boolean; readonly error: ParseError };

interface Input {
  readonly chars: readonly string[];
}

export type Parser<T> = (input: Input, at: Position) => Reply<T>;

const unknownError = (at: Position): ParseError => ({ at, messages: [] });

function merge(first: ParseError, second: ParseError): ParseError {
  if (second.messages.length === 0 && first.messages.length > 0) return first;
  if (first.messages.length === 0 && second.messages.length > 0) return second;
  if (first.at.index > second.at.index) return first;
  if (first.at.index < second.at.index) return second;
  return { at: first.at, messages: [...first.messages, ...second.messages] };
}

function withExpected(error: ParseError, text: string): ParseError {
  const others = error.messages.filter((message) => message.kind !== EXPECTED);
  return { at: error.at, messages: [{ kind: EXPECTED, text }, ...others] };
}

function advance(at: Position, char: string): Position {
  if (char === '\n') return { index: at.index + 1, line: at.line + 1, column: 1 };
  const column = char === '\t' ? at.column + 8 - ((at.column - 1) % 8) : at.column + 1;
  return { index: at.index + 1, line: at.line, column };
}

export const succeed =
  <T>(value: T): Parser<T> =>
  (_input, at) => ({ ok: true, consumed: false, value, at, error: unknownError(at) });

/** A parser that always fails, without a message. */
export const zero: Parser<never> = (_input, at) => ({ ok: false, consumed: false, error: unknownError(at) });

export function bind<A, B>(parser: Parser<A>, next: (value: A) => Parser<B>): Parser<B> {
  return (input, at) => {
    const first = parser(input, at);
    if (!first.ok) return first;
    const second = next(first.value)(input, first.at);
    const consumed = first.consumed || second.consumed;
    const error =
      second.consumed || first.error.messages.length === 0 ? second.error : merge(first.error, second.error);
    return second.ok ? { ...second, consumed, error } : { ok: false, consumed, error };
  };
}

export const map = <A, B>(parser: Parser<A>, change: (value: A) => B): Parser<B> =>
  bind(parser, (value) => succeed(change(value)));

/** Runs both parsers in order and returns the second value. */
export const right = <B>(first: Parser<unknown>, second: Parser<B>): Parser<B> => bind(first, () => second);

/** Runs both parsers in order and returns the first value. */
export const left = <A>(first: Parser<A>, second: Parser<unknown>): Parser<A> =>
  bind(first, (value) => map(second, () => value));

export const between = <T>(open: Parser<unknown>, close: Parser<unknown>, inner: Parser<T>): Parser<T> =>
  right(open, left(inner, close));

/**
 * Tries the alternatives in order. The next alternative is tried only if the previous one failed without consuming
 * input.
 */
export function or<T>(...parsers: readonly Parser<T>[]): Parser<T> {
  return (input, at) => {
    let error = unknownError(at);
    for (const parser of parsers) {
      const reply = parser(input, at);
      if (reply.consumed) return reply;
      error = merge(error, reply.error);
      if (reply.ok) return { ...reply, error };
    }
    return { ok: false, consumed: false, error };
  };
}

/** Returns a parser that, if it fails, behaves as if it hadn't consumed any input. */
export const attempt =
  <T>(parser: Parser<T>): Parser<T> =>
  (input, at) => {
    const reply = parser(input, at);
    return reply.ok ? reply : { ...reply, consumed: false };
  };

/**
 * Returns a parser that caches its last reply. Alternatives often share a prefix, so the cache saves work. A reply
 * depends only on the text and the position, so the cache doesn't change results.
 */
export function remembered<T>(parser: Parser<T>): Parser<T> {
  const last = new WeakMap<Input, { readonly index: number; readonly reply: Reply<T> }>();
  return (input, at) => {
    const known = last.get(input);
    if (known?.index === at.index) return known.reply;
    const reply = parser(input, at);
    last.set(input, { index: at.index, reply });
    return reply;
  };
}

export const lookAhead =
  <T>(parser: Parser<T>): Parser<T> =>
  (input, at) => {
    const reply = parser(input, at);
    return reply.ok ? { ok: true, consumed: false, value: reply.value, at, error: unknownError(at) } : reply;
  };

/** Returns a parser that reports `text` as the expected input if it fails without consuming input. */
export const label =
  <T>(parser: Parser<T>, text: string): Parser<T> =>
  (input, at) => {
    const reply = parser(input, at);
    if (reply.consumed || (reply.ok && reply.error.messages.length === 0)) return reply;
    return { ...reply, error: withExpected(reply.error, text) };
  };

export const satisfy =
  (test: (char: string) => boolean): Parser<string> =>
  (input, at) => {
    const char = input.chars[at.index];
    if (char === undefined || !test(char)) {
      const messages = [{ kind: SYSTEM_UNEXPECTED, text: char ?? '' }] as const;
      return { ok: false, consumed: false, error: { at, messages } };
    }
    const after = advance(at, char);
    return { ok: true, consumed: true, value: char, at: after, error: unknownError(after) };
  };

export const char = (expected: string): Parser<string> =>
  label(
    satisfy((found) => found === expected),
    show(expected),
  );
export const oneOf = (set: string): Parser<string> => satisfy((found) => set.includes(found));
export const noneOf = (set: string): Parser<string> => satisfy((found) => !set.includes(found));
export const anyChar: Parser<string> = satisfy(() => true);
export const letter: Parser<string> = label(
  satisfy((found) => /^\p{L}$/u.test(found)),
  'letter',
);
export const digit: Parser<string> = label(
  satisfy((found) => found >= '0' && found <= '9'),
  'digit',
);

/** Matches a whole word. An error points to the word's first character, even if a later character differs. */
export function string(word: string): Parser<string> {
  const wanted = Array.from(word);
  const expected: Message = { kind: EXPECTED, text: show(word) };
  return (input, at) => {
    let here = at;
    for (let index = 0; index < wanted.length; index++) {
      const found = input.chars[here.index];
      if (found !== wanted[index]) {
        const unexpected: Message = { kind: SYSTEM_UNEXPECTED, text: found ?? '' };
        return { ok: false, consumed: index > 0, error: { at, messages: [expected, unexpected] } };
      }
      here = advance(here, found as string);
    }
    return { ok: true, consumed: true, value: word, at: here, error: unknownError(here) };
  };
}

/** Succeeds if `parser` fails, and fails if it succeeds. */
export const notFollowedBy =
  (parser: Parser<string>): Parser<undefined> =>
  (input, at) => {
    const reply = parser(input, at);
    if (!reply.ok) return { ok: true, consumed: false, value: undefined, at, error: reply.error };
    const error: ParseError = { at: reply.at, messages: [{ kind: UNEXPECTED, text: showChar(reply.value) }] };
    return { ok: false, consumed: false, error };
  };

export const eof: Parser<undefined> = (input, at) => {
  const found = input.chars[at.index];
  if (found === undefined) {
    const ended: ParseError = { at, messages: [{ kind: SYSTEM_UNEXPECTED, text: '' }] };
    return { ok: true, consumed: false, value: undefined, at, error: withExpected(ended, 'end of input') };
  }
  const error: ParseError = { at, messages: [{ kind: UNEXPECTED, text: showChar(found) }] };
  return { ok: false, consumed: false, error: withExpected(error, 'end of input') };
};

/** Matches zero or more values. If there are more than `limit` values, the parser fails with the error of `beyond`. */
export function many<T>(
  parser: Parser<T>,
  limit = Number.POSITIVE_INFINITY,
  beyond: Parser<never> = zero,
): Parser<T[]> {
  return (input, at) => {
    const values: T[] = [];
    let here = at;
    for (;;) {
      const reply = parser(input, here);
      if (!reply.ok) {
        if (reply.consumed) return reply;
        return { ok: true, consumed: values.length > 0, value: values, at: here, error: reply.error };
      }
      if (!reply.consumed) throw new Error('many: the repeated parser accepts nothing');
      if (values.length >= limit) {
        const rejected = beyond(input, reply.at);
        return rejected.ok ? rejected : { ...rejected, consumed: true };
      }
      values.push(reply.value);
      here = reply.at;
    }
  };
}

export const many1 = <T>(parser: Parser<T>): Parser<T[]> =>
  bind(parser, (first) => map(many(parser), (rest) => [first, ...rest]));

/**
 * Matches one to `limit` values. If there are more than `limit` values, the parser fails with an error that states the
 * limit.
 */
export const sepBy1 = <T>(
  parser: Parser<T>,
  separator: Parser<unknown>,
  limit = Number.POSITIVE_INFINITY,
): Parser<T[]> => {
  const rest = many(right(separator, parser), limit - 1, label(zero, `at most ${limit} items`));
  return bind(parser, (first) => map(rest, (others) => [first, ...others]));
};

export const sepBy = <T>(parser: Parser<T>, separator: Parser<unknown>, limit?: number): Parser<T[]> =>
  or(sepBy1(parser, separator, limit), succeed<T[]>([]));

export const option = <T>(fallback: T, parser: Parser<T>): Parser<T> => or(parser, succeed(fallback));

export const optional = <T>(parser: Parser<T>): Parser<T | undefined> =>
  or<T | undefined>(parser as Parser<T | undefined>, succeed(undefined));

/** Defers the construction of a parser so that grammars can be recursive. */
export const lazy =
  <T>(build: () => Parser<T>): Parser<T> =>
  (input, at) =>
    build()(input, at);

export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly position: string; readonly details: string };

/**
 * Runs a parser on a string. Unparsed input at the end isn't an error unless the grammar ends with {@link eof}.
 * @example parse(string('asc'), 'failed to parse order (x)', 'x') // { ok: false, position: '"failed to parse order (x)" (line 1, column 1)', details: 'unexpected "x" expecting "asc"' }
 */
export function parse<T>(parser: Parser<T>, name: string, text: string): ParseResult<T> {
  const reply = parser({ chars: Array.from(text) }, { index: 0, line: 1, column: 1 });
  if (reply.ok) return { ok: true, value: reply.value };
  const { at, messages } = reply.error;
  return {
    ok: false,
    position: `"${name}" (line ${at.line}, column ${at.column})`,
    details: describe(messages),
  };
}

function describe(messages: readonly Message[]): string {
  const texts = (kind: number) => [
    ...new Set(messages.filter((message) => message.kind === kind).map((message) => message.text)),
  ];
  const parts: string[] = [];
  if (messages.length === 0) return 'unknown parse error';
  const unexpected = texts(UNEXPECTED).filter((text) => text !== '');
  const [system] = texts(SYSTEM_UNEXPECTED);
  if (messages.some((message) => message.kind === UNEXPECTED)) {
    if (unexpected.length > 0) parts.push(`unexpected ${commasOr(unexpected)}`);
  } else if (system !== undefined) {
    parts.push(`unexpected ${system === '' ? 'end of input' : show(system)}`);
  }
  const expected = texts(EXPECTED).filter((text) => text !== '');
  if (expected.length > 0) parts.push(`expecting ${commasOr(expected)}`);
  return parts.join(' ').replaceAll('\n', ' ').trim();
}

function commasOr(texts: readonly string[]): string {
  if (texts.length < 2) return texts.join('');
  return `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\u007f': '\\DEL',
};
const CONTROL_NAMES =
  'NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  );

function escapeChar(char: string): string {
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  const code = char.codePointAt(0) ?? 0;
  if (code < 32) return `\\${CONTROL_NAMES[code]}`;
  return code > 126 ? `\\${code}` : char;
}

/** Formats a string as Haskell's `show` does. */
function show(text: string): string {
  let body = '';
  for (const char of text) body += char === '"' ? '\\"' : escapeChar(char);
  return `"${body}"`;
}

const showChar = (char: string): string => (char === "'" ? "'\\''" : `'${escapeChar(char)}'`);
