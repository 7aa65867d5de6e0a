/** Shortens a statement so that the names of its tables are visible in a list. */
import { lex, significant, type Token, tokenize } from '../../../../base/shared/sql/lex.ts';

/** The maximum length of column lists that are kept. Short lists help the reader recognize a statement. */
const keptChars = 32;
const outlineChars = 300;

/**
 * Returns the statement on a single line, with `…` in place of long column lists.
 * @example outlineOf('select id, title, note, created_at, updated_at from t') // "select … from t"
 */
export function outlineOf(text: string): string {
  const tokens = significant(tokenize(text));
  let outline = '';
  let copied = 0;
  let depth = 0;
  /** The outermost `select` whose `from` hasn't been reached yet. Nested `select` keywords are ignored. */
  let open: { readonly depth: number; readonly end: number } | undefined;
  for (const [at, token] of tokens.entries()) {
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    if (open !== undefined && depth < open.depth) open = undefined;
    if (token.kind !== 'word') continue;
    if (token.text === 'select') open ??= { depth, end: token.end };
    if (token.text !== 'from' || open?.depth !== depth) continue;
    const before = tokens.slice(Math.max(0, at - 2), at).map((each) => each.text);
    if (/^(is|not) distinct$/.test(before.join(' '))) continue;
    if (token.start - open.end > keptChars) {
      outline += `${text.slice(copied, open.end)} … `;
      copied = token.start;
    }
    open = undefined;
  }
  return (outline + text.slice(copied)).replaceAll(/\s+/g, ' ').trim().slice(0, outlineChars);
}

/**
 * The first words of statements in which all literals can be replaced. In other statements, a password or key can occur
 * where the grammar doesn't allow a parameter.
 */
const openVerbs = ['select', 'with', 'insert', 'update', 'delete', 'merge', 'values', 'table'];

/**
 * Returns the text without literals that PostgreSQL keeps. PostgreSQL replaces the literals of queries and data changes
 * with `$1`, but keeps those of other statements, which can contain passwords.
 */
export function storableText(text: string): string {
  const verb = [...lex(text)].find(({ kind }) => kind === 'word');
  const isNormalized =
    verb !== undefined && openVerbs.includes(text.slice(verb.start, verb.end).toLowerCase());
  return isNormalized ? text : redactLiterals(text);
}

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
