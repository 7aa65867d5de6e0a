/**
 * Finds function calls and subselects in SQL text from the catalog, and splits a SELECT statement into its clauses. If
 * a text can't be parsed, no calls or subselects are returned, and the page shows only the text.
 */
import { type SqlToken, significant, tokenize } from '../../../../base/shared/sql/lex.ts';

export interface CallText {
  /** Undefined if the function name has no schema. */
  readonly schema: string | undefined;
  readonly name: string;
  /** The complete call as written in the source. */
  readonly text: string;
  readonly arguments: readonly string[];
}

export interface SelectText {
  readonly list: string;
  readonly from: string | undefined;
  readonly where: string | undefined;
  /** Whether the statement has no clauses other than the select list, FROM and WHERE. */
  readonly isSimple: boolean;
}

/** The body of a function written in SQL. `other` stands for a body that isn't a single SELECT or RETURN. */
export type BodyText =
  | { readonly kind: 'expression'; readonly text: string }
  | { readonly kind: 'select'; readonly text: string }
  | { readonly kind: 'other' };

/** Words that can precede a parenthesis but aren't function names. */
const keywords = new Set(
  'all and any array as between by case else except exists filter from having in intersect is join like limit not on or over row select some then union using values when where'.split(
    ' ',
  ),
);
const clauses = new Set(['group', 'having', 'window', 'order', 'limit', 'offset', 'fetch', 'for']);
const setOperators = new Set(['union', 'intersect', 'except']);

export const isWord = (token: SqlToken | undefined, text: string): boolean =>
  token?.kind === 'word' && token.text === text;
export const isSymbol = (token: SqlToken | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text;
export const isName = (token: SqlToken | undefined): token is SqlToken =>
  token?.kind === 'word' || token?.kind === 'name';

/** Returns the name in a token, without quotation marks. */
export const nameOf = ({ kind, text }: SqlToken): string =>
  kind === 'name' ? text.slice(1, -1).replaceAll('""', '"') : text;

/** Returns all function calls from left to right. A call in the arguments of another call comes after that call. */
export function callsIn(source: string): CallText[] {
  const tokens = significant(tokenize(source));
  return tokens.flatMap((token, index) => {
    if (!isName(token) || !isSymbol(tokens[index + 1], '(')) return [];
    if (token.kind === 'word' && keywords.has(token.text)) return [];
    const end = closingOf(tokens, index + 1);
    const last = end === undefined ? undefined : tokens[end];
    if (end === undefined || last === undefined) return [];
    const before = isSymbol(tokens[index - 1], '.') ? tokens[index - 2] : undefined;
    const schema = isName(before) ? before : undefined;
    return [
      {
        schema: schema === undefined ? undefined : nameOf(schema),
        name: nameOf(token),
        text: source.slice((schema ?? token).start, last.end),
        arguments: splitAtCommas(tokens.slice(index + 2, end)).map((part) => textOf(source, part)),
      },
    ];
  });
}

/**
 * Returns the outermost subselects that read from a relation, without the parentheses around them. A subselect without
 * FROM only wraps an expression, so the subselects in the expression are returned instead.
 */
export function subselectsIn(source: string): string[] {
  const tokens = significant(tokenize(source));
  const found: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    if (!isSymbol(tokens[index], '(') || !isWord(tokens[index + 1], 'select')) continue;
    const end = closingOf(tokens, index);
    if (end === undefined) continue;
    const text = textOf(source, tokens.slice(index + 1, end));
    if (parseSelect(text)?.from === undefined) continue;
    found.push(text);
    index = end;
  }
  return found;
}

/** Splits a SELECT statement into its clauses. Returns undefined if the text isn't a SELECT statement. */
export function parseSelect(source: string): SelectText | undefined {
  const tokens = significant(tokenize(source));
  if (!isWord(tokens[0], 'select')) return undefined;
  const at: { from?: number; where?: number; end?: number } = {};
  let isSimple = true;
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (isSymbol(token, '(') || isSymbol(token, '[') || isWord(token, 'case')) depth++;
    if (isSymbol(token, ')') || isSymbol(token, ']') || isWord(token, 'end')) depth--;
    if (depth !== 0 || token.kind !== 'word') continue;
    if (token.text === 'from' && at.from === undefined && !isWord(tokens[index - 1], 'distinct'))
      at.from = index;
    if (token.text === 'where' && at.where === undefined) at.where = index;
    if (setOperators.has(token.text)) isSimple = false;
    if (at.end === undefined && (clauses.has(token.text) || setOperators.has(token.text))) {
      at.end = index;
      // ORDER BY and LIMIT are allowed, because they don't change which rows match the condition.
      if (!['order', 'limit'].includes(token.text)) isSimple = false;
    }
  }
  const end = at.end ?? tokens.length;
  const part = (from: number | undefined, to: number): string | undefined =>
    from === undefined || from >= to ? undefined : textOf(source, tokens.slice(from + 1, to));
  return {
    list: textOf(source, tokens.slice(1, at.from ?? at.where ?? end)),
    from: part(at.from, at.where ?? end),
    where: part(at.where, end),
    isSimple,
  };
}

/** Parses the body of a SQL function. The body is a string or the text of `BEGIN ATOMIC … END` or `RETURN`. */
export function parseBody(source: string): BodyText {
  let tokens = significant(tokenize(source));
  if (isWord(tokens[0], 'begin') && isWord(tokens[1], 'atomic') && isWord(tokens.at(-1), 'end'))
    tokens = tokens.slice(2, -1);
  while (isSymbol(tokens.at(-1), ';')) tokens = tokens.slice(0, -1);
  if (tokens.some((token) => isSymbol(token, ';'))) return { kind: 'other' };
  if (isWord(tokens[0], 'return')) return { kind: 'expression', text: textOf(source, tokens.slice(1)) };
  const text = textOf(source, tokens);
  const select = parseSelect(text);
  if (select === undefined) return { kind: 'other' };
  if (select.from !== undefined || !select.isSimple || select.where !== undefined)
    return { kind: 'select', text };
  return { kind: 'expression', text: withoutAlias(select.list) };
}

/** Removes the alias of the column in a select list with a single column. */
function withoutAlias(list: string): string {
  const tokens = significant(tokenize(list));
  const isAliased = isName(tokens.at(-1)) && isWord(tokens.at(-2), 'as');
  return isAliased ? textOf(list, tokens.slice(0, -2)) : list;
}

/** Returns the names in FROM and JOIN clauses, as they are written. PostgreSQL adds parentheses around joins. */
export function relationsIn(source: string): string[] {
  const tokens = significant(tokenize(source));
  const found: string[] = [];
  // For each open parenthesis, whether it is in a FROM clause. In a FROM clause, each comma is followed by a relation.
  const levels = [false];
  let isExpected = false;
  for (const [index, token] of tokens.entries()) {
    const last = levels.length - 1;
    if (isSymbol(token, '(')) levels.push(isExpected);
    else if (isSymbol(token, ')')) {
      if (last > 0) levels.pop();
      isExpected = false;
    } else if (isWord(token, 'from') || isWord(token, 'join')) {
      levels[last] = true;
      isExpected = true;
    } else if (isSymbol(token, ',')) isExpected = levels[last] === true;
    else if (token.kind === 'word' && endsFrom.has(token.text)) {
      levels[last] = false;
      isExpected = false;
    } else if (!isWord(token, 'only') && !isWord(token, 'lateral')) {
      if (isExpected && isName(token)) {
        const isQualified = isSymbol(tokens[index + 1], '.') && isName(tokens[index + 2]);
        found.push(textOf(source, tokens.slice(index, index + (isQualified ? 3 : 1))));
      }
      isExpected = false;
    }
  }
  return found;
}

/** Words that begin a subselect or end the FROM clause of a subselect. */
const endsFrom = new Set([...clauses, ...setOperators, 'select', 'where']);

/**
 * Whether the text contains a column name without the table's name. In the body of a function, such a name can be a
 * column of the subselect, so the text must not be evaluated outside the subselect.
 */
export function hasBareName(source: string): boolean {
  const tokens = significant(tokenize(source));
  return tokens.some((token, index) => {
    if (!isName(token) || (token.kind === 'word' && bareWords.has(token.text))) return false;
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    if (isSymbol(before, '.') || isSymbol(before, ':') || isSymbol(after, '.') || isSymbol(after, '('))
      return false;
    return !isWord(before, 'as');
  });
}

const bareWords = new Set(
  'select as null true false and or not current_user session_user current_role current_date current_timestamp'.split(
    ' ',
  ),
);

function textOf(source: string, tokens: readonly SqlToken[]): string {
  const last = tokens.at(-1);
  return tokens[0] === undefined || last === undefined ? '' : source.slice(tokens[0].start, last.end);
}

/** Returns the position of the parenthesis that closes the parenthesis at `open`. */
function closingOf(tokens: readonly SqlToken[], open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (isSymbol(tokens[index], '(')) depth++;
    if (isSymbol(tokens[index], ')') && --depth === 0) return index;
  }
  return undefined;
}

function splitAtCommas(tokens: readonly SqlToken[]): SqlToken[][] {
  if (tokens.length === 0) return [];
  const parts: SqlToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (isSymbol(token, '(') || isSymbol(token, '[')) depth++;
    if (isSymbol(token, ')') || isSymbol(token, ']')) depth--;
    if (depth === 0 && isSymbol(token, ',')) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}
