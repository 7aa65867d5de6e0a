/**
 * Analyzes policy expressions in the form that `pg_get_expr` prints in a session with an empty search path. In this
 * form, all names outside pg_catalog are schema-qualified.
 */
import { type SqlToken, significant, tokenize } from '../../../base/shared/sql/lex.ts';

const tokensOf = (expression: string): SqlToken[] => significant(tokenize(expression));

const operatorCharacters = /^[-+*/<>=~!@#%^&|`?:]+$/;

/**
 * Returns the tokens of the expression as text. The lexer returns each symbol character separately, so this function
 * combines them into operators.
 */
function textsOf(expression: string): string[] {
  const texts: string[] = [];
  let operatorEnd: number | undefined;
  for (const { text, start, end } of tokensOf(expression)) {
    const isOperator = operatorCharacters.test(text);
    if (isOperator && operatorEnd === start) texts[texts.length - 1] += text;
    else texts.push(text);
    operatorEnd = isOperator ? end : undefined;
  }
  return texts;
}

/** Functions in the auth schema that return the same value for all rows of a statement. */
const requestFunctions = new Set(['uid', 'jwt', 'role', 'email']);

interface Call {
  readonly start: number;
  readonly end: number;
}

/** Returns the index after the parenthesis that closes the parenthesis at index `open`. */
function afterParenthesis(tokens: readonly SqlToken[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (tokens[index]?.text === '(') depth++;
    if (tokens[index]?.text === ')' && --depth === 0) return index + 1;
  }
  return tokens.length;
}

/** Returns the index of the argument list's opening parenthesis if a call to a request function starts at `index`. */
function argumentsAt(tokens: readonly SqlToken[], index: number): number | undefined {
  const text = (offset: number): string | undefined => tokens[index + offset]?.text;
  // A name that follows a dot belongs to another schema.
  if (text(-1) === '.') return undefined;
  if (text(0) === 'current_setting' && text(1) === '(') return index + 1;
  if (text(0) === 'auth' && text(1) === '.' && requestFunctions.has(text(2) ?? '') && text(3) === '(')
    return index + 3;
  return undefined;
}

/**
 * Returns the calls to request functions that PostgreSQL evaluates for every row. PostgreSQL evaluates a call only once
 * per statement if the call is in a subquery without a FROM clause, as in `(select auth.uid())`.
 */
export function perRowCalls(expression: string): Call[] {
  const tokens = tokensOf(expression);
  const calls: Call[] = [];
  /** For each open parenthesis, whether the parenthesis starts a subquery that is evaluated only once. */
  const open: boolean[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as SqlToken;
    if (token.text === ')') open.pop();
    if (token.text === '(') open.push(isScalarSelect(tokens, index));
    const argumentsStart = argumentsAt(tokens, index);
    if (argumentsStart === undefined) continue;
    const end = afterParenthesis(tokens, argumentsStart);
    if (!open.includes(true)) calls.push({ start: token.start, end: (tokens[end - 1] as SqlToken).end });
    index = end - 1;
  }
  return calls;
}

/** Returns whether the parenthesis at index `open` starts a SELECT that doesn't read a table. */
function isScalarSelect(tokens: readonly SqlToken[], open: number): boolean {
  if (tokens[open + 1]?.text !== 'select') return false;
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const { text } = tokens[index] as SqlToken;
    if (text === '(') depth++;
    if (text === ')' && --depth === 0) return true;
    if (text === 'from' && depth === 1) return false;
  }
  return true;
}

/** Wraps every per-row call in a subquery, so that PostgreSQL evaluates the call only once per statement. */
export function withCachedCalls(expression: string): string {
  let text = expression;
  for (const { start, end } of perRowCalls(expression).reverse())
    text = `${text.slice(0, start)}(select ${text.slice(start, end)})${text.slice(end)}`;
  return text;
}

/** Removes parentheses that enclose the whole expression. */
function bare(texts: readonly string[]): readonly string[] {
  if (texts[0] !== '(' || texts.at(-1) !== ')') return texts;
  let depth = 0;
  for (const [index, text] of texts.entries()) {
    if (text === '(') depth++;
    if (text === ')' && --depth === 0 && index < texts.length - 1) return texts;
  }
  return bare(texts.slice(1, -1));
}

/** Splits the tokens at each occurrence of a word outside parentheses. */
function splitAt(texts: readonly string[], word: string): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const text of texts) {
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (text === word && depth === 0) parts.push([]);
    else parts.at(-1)?.push(text);
  }
  return parts;
}

const trueForms = new Set(['true', '1 = 1', 'not false']);
const falseForms = new Set(['false', '1 = 0', '0 = 1', 'not true', 'null', 'null :: boolean']);

export const isAlwaysTrue = (expression: string): boolean =>
  trueForms.has(bare(textsOf(expression)).join(' '));

/**
 * Returns whether no row can satisfy the expression, because a condition is false or null, or because an operator
 * compares a value with null.
 */
export const isNeverTrue = (expression: string): boolean => neverTrue(textsOf(expression));

function neverTrue(texts: readonly string[]): boolean {
  const own = bare(texts);
  // Expressions with BETWEEN aren't analyzed, because the AND of BETWEEN doesn't separate conditions.
  if (own.includes('between')) return false;
  const alternatives = splitAt(own, 'or');
  if (alternatives.length > 1) return alternatives.every(neverTrue);
  const conditions = splitAt(own, 'and');
  if (conditions.length > 1) return conditions.some(neverTrue);
  return falseForms.has(own.join(' ')) || comparesWithNull(own);
}

const comparisons = new Set(['=', '<>', '<', '>', '<=', '>=']);

function comparesWithNull(texts: readonly string[]): boolean {
  let depth = 0;
  for (const [index, text] of texts.entries()) {
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth > 0 || !comparisons.has(text)) continue;
    const after = texts.slice(index + 1);
    // Matches `null`, and also `null::type` with a type of one or more words.
    if (after[0] === 'null' && (after.length === 1 || after[1] === '::')) return true;
    if (index > 0 && texts[0] === 'null' && (index === 1 || texts[1] === '::')) return true;
  }
  return false;
}

/** Returns whether the expression reads the part of the access token that users can edit themselves. */
export function readsUserMetadata(expression: string): boolean {
  const texts = textsOf(expression);
  // The name can be a key or part of a path such as '{user_metadata,role}'.
  const namesIt = texts.some((text) => text.startsWith("'") && /\buser_metadata\b/.test(text));
  return (namesIt && readsToken(texts)) || texts.includes('raw_user_meta_data');
}

function readsToken(texts: readonly string[]): boolean {
  return texts.some(
    (text, index) =>
      (text === 'auth' && texts[index + 1] === '.' && texts[index + 2] === 'jwt') ||
      (text === 'current_setting' && (texts[index + 2] ?? '').startsWith("'request.jwt.claim")),
  );
}

/** Returns whether the expression is true for every object in a bucket. */
export function coversBucket(expression: string | null, bucketId: string): boolean {
  if (expression === null || isAlwaysTrue(expression)) return true;
  const texts = bare(textsOf(expression));
  const quoted = `'${bucketId.replaceAll("'", "''")}'`;
  const [column, operator, value, cast] = texts;
  if (column !== 'bucket_id' || operator !== '=' || value !== quoted) return false;
  return texts.length === 3 || cast === '::';
}
