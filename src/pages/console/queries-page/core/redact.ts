/** Removes the literals from a statement. */
import { lex, type Token } from '../../../../base/shared/sql/lex.ts';

/**
 * The first words of statements in which all literals can be replaced. In other statements, a password or key can occur
 * where the grammar doesn't allow a parameter.
 */
const openVerbs = ['select', 'with', 'insert', 'update', 'delete', 'merge', 'values', 'table'];

/**
 * Returns the statement with `…` in place of strings, numbers and comments. Statements other than queries and data
 * changes are shortened to their first two words.
 * @example redactLiterals("select * from t where token = 'secret'") // "select * from t where token = …"
 */
export function redactLiterals(text: string): string {
  const tokens = [...lex(text)];
  const partOf = ({ start, end }: Token): string => text.slice(start, end);
  const words = tokens.filter(({ kind }) => kind === 'word').map(partOf);
  // In sessions in which standard_conforming_strings is off, a string can continue after an escaped quote.
  const isAmbiguous = text.includes("\\'") && !/\be'/i.test(text);
  if (isAmbiguous || !openVerbs.includes(words[0]?.toLowerCase() ?? ''))
    return [...words.slice(0, 2), '…'].join(' ');
  return tokens
    .map((token) => {
      if (token.kind === 'string' || token.kind === 'number') return '…';
      return token.kind === 'comment' ? ' ' : partOf(token);
    })
    .join('');
}
