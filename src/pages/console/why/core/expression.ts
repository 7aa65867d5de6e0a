/**
 * Parses a policy's condition into a tree of AND, OR and NOT, whose leaves can be evaluated separately. The input must
 * come from `pg_get_expr`, which adds parentheses wherever an expression would be ambiguous.
 */
import { type SqlToken, significant, tokenize } from '../../../../base/shared/sql/lex.ts';

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly text: string; readonly parts: readonly Expression[] }
  | { readonly kind: 'not'; readonly text: string; readonly parts: readonly [Expression] }
  | {
      readonly kind: 'test';
      readonly text: string;
      /** The compared expressions. The values of these expressions explain the result. */
      readonly operands: readonly string[];
    };

/**
 * Parses a condition.
 * @example
 * parseExpression('((owner = auth.uid()) OR public)');
 * // or: test "owner = auth.uid()" (owner, auth.uid()), test "public"
 */
export function parseExpression(source: string): Expression {
  return parse(source, significant(tokenize(source)));
}

/** Returns all leaves of the tree from left to right. */
export const testsOf = (expression: Expression): Extract<Expression, { kind: 'test' }>[] =>
  expression.kind === 'test' ? [expression] : expression.parts.flatMap(testsOf);

function parse(source: string, given: readonly SqlToken[]): Expression {
  const tokens = withoutParentheses(given);
  const text = textOf(source, tokens);
  for (const word of ['or', 'and'] as const) {
    const sides = splitAt(tokens, word);
    if (sides.length > 1 && sides.every((side) => side.length > 0))
      return { kind: word, text, parts: sides.map((side) => parse(source, side)) };
  }
  if (isWord(tokens[0], 'not') && tokens.length > 1)
    return { kind: 'not', text, parts: [parse(source, tokens.slice(1))] };
  return { kind: 'test', text, operands: operandsOf(source, tokens) };
}

const isWord = (token: SqlToken | undefined, text: string): boolean =>
  token?.kind === 'word' && token.text === text;
const isSymbol = (token: SqlToken | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text;

function textOf(source: string, tokens: readonly SqlToken[]): string {
  const [first] = tokens;
  const last = tokens.at(-1);
  return first === undefined || last === undefined ? '' : source.slice(first.start, last.end);
}

/** Returns the depth at which each token is nested in parentheses, brackets and CASE … END. */
function depths(tokens: readonly SqlToken[]): number[] {
  let depth = 0;
  return tokens.map((token) => {
    if (isSymbol(token, ')') || isSymbol(token, ']') || isWord(token, 'end')) depth--;
    const own = depth;
    if (isSymbol(token, '(') || isSymbol(token, '[') || isWord(token, 'case')) depth++;
    return own;
  });
}

/** Removes the parentheses around an expression, except if they belong to a subselect. */
function withoutParentheses(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const inner = tokens.slice(1, -1);
  const wraps =
    inner.length > 0 &&
    isSymbol(tokens[0], '(') &&
    isSymbol(tokens.at(-1), ')') &&
    depths(inner).every((depth) => depth >= 0) &&
    !['select', 'with', 'values'].some((word) => isWord(inner[0], word));
  return wraps ? withoutParentheses(inner) : tokens;
}

function splitAt(tokens: readonly SqlToken[], word: string): SqlToken[][] {
  const sides: SqlToken[][] = [[]];
  const levels = depths(tokens);
  tokens.forEach((token, index) => {
    if (levels[index] === 0 && isWord(token, word)) sides.push([]);
    else sides.at(-1)?.push(token);
  });
  return sides;
}

const comparisons = new Set([
  '=',
  '<>',
  '<',
  '>',
  '<=',
  '>=',
  '~~',
  '!~~',
  '~~*',
  '!~~*',
  '~',
  '~*',
  '@>',
  '<@',
  '&&',
  '?',
]);

function operandsOf(source: string, tokens: readonly SqlToken[]): string[] {
  const levels = depths(tokens);
  for (const [index, token] of tokens.entries()) {
    if (levels[index] !== 0 || index === 0) continue;
    if (isWord(token, 'is')) return isDistinct(source, tokens, index);
    // The right side of IN is a list or subselect, so it doesn't have a single value.
    if (isWord(token, 'in')) {
      const end = isWord(tokens[index - 1], 'not') ? index - 1 : index;
      return [textOf(source, tokens.slice(0, end))].filter(isInformative);
    }
    const { operator, length } = operatorAt(tokens, index);
    if (!comparisons.has(operator)) continue;
    return [textOf(source, tokens.slice(0, index)), rightOf(source, tokens.slice(index + length))].filter(
      isInformative,
    );
  }
  return [];
}

/** Returns the operands of `x IS NULL`, `x IS NOT TRUE` or `x IS DISTINCT FROM y`. */
function isDistinct(source: string, tokens: readonly SqlToken[], at: number): string[] {
  const from = tokens.findIndex((token, index) => index > at && isWord(token, 'from'));
  const distinct = tokens.slice(at, from).some((token) => isWord(token, 'distinct'));
  const left = textOf(source, tokens.slice(0, at));
  const right = from > at && distinct ? [textOf(source, tokens.slice(from + 1))] : [];
  return [left, ...right].filter(isInformative);
}

/** Returns the operator at this position. An operator can consist of several adjacent symbols. */
function operatorAt(tokens: readonly SqlToken[], at: number): { operator: string; length: number } {
  let operator = '';
  let length = 0;
  for (
    let token = tokens[at];
    token?.kind === 'symbol' && !'()[],;.'.includes(token.text);
    token = tokens[at + length]
  ) {
    if (length > 0 && tokens[at + length - 1]?.end !== token.start) break;
    operator += token.text;
    length++;
  }
  return { operator, length: Math.max(1, length) };
}

/**
 * Returns the operand on the right. For `= ANY (…)`, the operand is the expression in parentheses, unless the
 * expression is a subselect, which doesn't have a single value.
 */
function rightOf(source: string, tokens: readonly SqlToken[]): string {
  if (!isWord(tokens[0], 'any') && !isWord(tokens[0], 'all')) return textOf(source, tokens);
  const inner = withoutParentheses(tokens.slice(1));
  return isSymbol(inner[0], '(') ? '' : textOf(source, inner);
}

/**
 * Whether it is useful to show the value of the operand. The value of a constant isn't useful, because it is the same
 * as the constant's text.
 */
const isInformative = (text: string): boolean =>
  text !== '' && !/^(?:'[^']*'(?:::[\w. ]+)?|-?[\d.]+|true|false|NULL::\w+)$/.test(text);
