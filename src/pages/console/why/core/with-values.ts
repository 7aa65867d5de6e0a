/**
 * Replaces the parameters in the body of a function, either with the values of the arguments (for display) or with
 * columns (for evaluation).
 */
import { quoteIdentifier, quoteLiteral } from '../../../../base/kernel/sql.ts';
import { tokenize } from '../../../../base/shared/sql/lex.ts';
import { isName, isSymbol, isWord, nameOf } from './select.ts';

export interface Argument {
  readonly name: string | null;
  readonly value: string | null;
}

/** The maximum number of characters that are inserted into the body for an argument's value. */
const shownChars = 80;

/** Returns the name of the column that contains the value of an argument when the body is evaluated. */
export const columnOf = (name: string | null, index: number): string => name || `argument_${index + 1}`;

/**
 * Replaces numbered parameters such as `$1` with columns, so that the body is also valid outside the function.
 * Parameter names aren't replaced.
 */
export function withColumns(body: string, name: string, args: readonly Argument[]): string {
  return replace(body, (tokens, index) => {
    const number = parameterOf(tokens[index]);
    const arg = number === undefined ? undefined : args[number - 1];
    if (number === undefined || arg === undefined) return undefined;
    return {
      text: `${quoteIdentifier(name)}.${quoteIdentifier(columnOf(arg.name, number - 1))}`,
      length: 1,
    };
  });
}

/**
 * Inserts the values of the arguments into the body or a part of it. `columns` contains the names that refer to table
 * columns in the body, because a column takes precedence over a parameter with the same name (PostgreSQL 18
 * documentation, 36.5.1).
 */
export function withValues(
  body: string,
  name: string,
  args: readonly Argument[],
  columns: ReadonlySet<string>,
): string {
  return replace(body, (tokens, index) => {
    const token = tokens[index];
    if (!isName(token)) return undefined;
    const [before, after, last] = [tokens[index - 1], tokens[index + 1], tokens[index + 2]];
    if (isSymbol(before, '.')) return undefined;
    if (nameOf(token) === name && isSymbol(after, '.') && isName(last)) {
      const at = args.findIndex((arg, position) => columnOf(arg.name, position) === nameOf(last));
      const arg = args[at];
      return arg === undefined ? undefined : { text: literal(arg.value), length: 3 };
    }
    const arg = args.find((each) => each.name === nameOf(token));
    const isOther =
      arg === undefined ||
      columns.has(nameOf(token)) ||
      isSymbol(after, '(') ||
      isSymbol(after, '.') ||
      isWord(before, 'as');
    return isOther ? undefined : { text: literal(arg.value), length: 1 };
  });
}

function literal(value: string | null): string {
  if (value === null) return 'NULL';
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return value;
  return quoteLiteral(value.length > shownChars ? `${value.slice(0, shownChars)}…` : value);
}

const parameterOf = (token: { kind: string; text: string } | undefined): number | undefined =>
  token?.kind === 'parameter' ? Number(token.text.slice(1)) : undefined;

type Tokens = ReturnType<typeof tokenize>;

function replace(
  text: string,
  replacementOf: (tokens: Tokens, index: number) => { text: string; length: number } | undefined,
): string {
  const tokens = tokenize(text);
  let result = '';
  let at = 0;
  for (let index = 0; index < tokens.length; index++) {
    const replacement = replacementOf(tokens, index);
    if (replacement === undefined) continue;
    result += text.slice(at, tokens[index]?.start) + replacement.text;
    at = tokens[index + replacement.length - 1]?.end ?? text.length;
    index += replacement.length - 1;
  }
  return result + text.slice(at);
}
