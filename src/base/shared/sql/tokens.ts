/**
 * Returns the tokens of SQL text, for code that inspects statements. Whitespace and, in most cases, comments are
 * ignored.
 */
import { type LexSettings, lex, type TokenKind } from './lex.ts';

export interface SqlToken {
  readonly kind: Exclude<TokenKind, 'space'>;
  /** The text of the token. A word is in lowercase, and every other kind of token is unchanged. */
  readonly text: string;
  /** The start and the end of the token as UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** Whether a string, name or comment isn't terminated. */
  readonly isOpen: boolean;
}

/** Returns every token in order, including comments but not whitespace. */
export function tokenize(text: string, settings?: LexSettings): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const { kind, start, end, isOpen } of lex(text, settings)) {
    if (kind === 'space') continue;
    const raw = text.slice(start, end);
    tokens.push({ kind, text: kind === 'word' ? raw.toLowerCase() : raw, start, end, isOpen });
  }
  return tokens;
}

/** Returns the tokens that aren't comments. */
export const significant = (tokens: readonly SqlToken[]): SqlToken[] =>
  tokens.filter(({ kind }) => kind !== 'comment');
