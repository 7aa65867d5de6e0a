/** Splits a log query into tokens. */

export class LogQueryError extends Error {
  override name = 'LogQueryError';
}

export interface Token {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
  /** The position in the query, starting at 1. */
  readonly at: number;
}

const pattern =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|(?<word>[a-z_]\w*)|(?<number>\d+(?:\.\d+)?)|(?<text>'(?:[^'\\]|''|\\.)*')|(?<quoted>`[^`]*`|"[^"]*")|(?<sign><=|>=|<>|!=|\|\||[-+*/%=<>(),.[\]])/iy;

/** The maximum length of a query. */
const maxChars = 10_000;

export function lex(query: string): Token[] {
  if (query.length > maxChars)
    throw new LogQueryError(`A log query can have at most ${maxChars} characters.`);
  const tokens: Token[] = [];
  const text = query.replace(/[;\s]+$/, '');
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const { groups } = pattern.exec(text) ?? {};
    if (groups === undefined)
      throw new LogQueryError(`Unexpected character ${text[at]} at position ${at + 1}.`);
    const { word, number, text: literal, quoted, sign } = groups;
    if (word !== undefined) tokens.push({ kind: 'word', text: word, at: at + 1 });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at: at + 1 });
    else if (literal !== undefined)
      tokens.push({
        kind: 'text',
        text: literal.slice(1, -1).replace(/''|\\(.)/g, (_, escaped) => escaped ?? "'"),
        at: at + 1,
      });
    else if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted.slice(1, -1), at: at + 1 });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, at: at + 1 });
  }
  return [...tokens, { kind: 'end', text: 'the end of the query', at: text.length + 1 }];
}
