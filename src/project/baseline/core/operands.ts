/** Finds the columns to which a statement applies an operator or a function. */
import { offsetOf, type Word, wordsOf } from './statement.ts';

export interface Operand {
  readonly name: string;
  /** The alias or table name that precedes the column. */
  readonly qualifier: string | undefined;
  /** The column's position in the statement in characters, starting at 1. */
  readonly position: number;
}

/**
 * Returns the columns that precede an operator. `position` is the operator's position, if PostgreSQL reports it.
 *
 * @example operandsBefore("select 1 from a where a.settings ? 'x'", '?', undefined) // [{ name: 'settings', qualifier: 'a', … }]
 */
export function operandsBefore(
  statement: string,
  operator: string,
  position: number | undefined,
): readonly Operand[] {
  const words = wordsOf(statement);
  const at = position === undefined ? undefined : offsetOf(statement, position);
  return words.flatMap(({ text, start }, index) => {
    const isSymbol =
      statement.startsWith(operator, start) &&
      !operatorCharacter.test(statement[start - 1] ?? '') &&
      !operatorCharacter.test(statement[start + operator.length] ?? '');
    if (!isSymbol && text !== keywords.get(operator)) return [];
    const first = words[index - 1]?.text === 'not' ? index - 1 : index;
    if (at !== undefined && start !== at && words[first]?.start !== at) return [];
    return columnEndingAt(statement, words, first - 1) ?? [];
  });
}

/** Keywords that appear as operators in PostgreSQL's messages. */
const keywords = new Map([
  ['~~', 'like'],
  ['!~~', 'like'],
  ['~~*', 'ilike'],
  ['!~~*', 'ilike'],
]);

/** Returns the column that begins at the position. */
export function operandAt(statement: string, position: number): Operand | undefined {
  const words = wordsOf(statement);
  const at = offsetOf(statement, position);
  const first = words.findIndex(({ start }) => start === at);
  const isQualified = words[first + 1]?.text === '.';
  return columnEndingAt(statement, words, isQualified ? first + 2 : first);
}

/**
 * Returns the columns whose values can be the result of the expression at the position.
 *
 * @example resultColumns('select case when a = 1 then b else c end from d', 8) // [{ name: 'b', … }, { name: 'c', … }]
 */
export function resultColumns(statement: string, position: number): readonly Operand[] {
  const words = wordsOf(statement);
  const at = offsetOf(statement, position);
  const first = words.findIndex(({ start }) => start === at);
  const length = words.slice(first).findIndex(({ text }) => /^([,;)]|from|where|returning)$/.test(text));
  const last = length < 0 ? words.length - 1 : first + length - 1;
  const column = onlyColumn(statement, words, first, last);
  if (column !== undefined) return [column];
  if (words[first]?.text !== 'case') return [];
  return words.slice(first, last + 1).flatMap(({ text }, index) => {
    if (text !== 'then' && text !== 'else') return [];
    const begin = first + index + 1;
    const end = words.findIndex((word, later) => later > begin && /^(when|else|end)$/.test(word.text)) - 1;
    return onlyColumn(statement, words, begin, end) ?? [];
  });
}

const operatorCharacter = /[-+*/<>=~!@#%^&|`?]/;

/** Returns the arguments of all calls to the function. In the result, an argument that isn't a column is undefined. */
export function callsOf(statement: string, name: string): (readonly (Operand | undefined)[])[] {
  const words = wordsOf(statement);
  return words.flatMap(({ text, isName }, index) => {
    if (!isName || text !== name || words[index + 1]?.text !== '(') return [];
    const list = argumentsBehind(words, index + 1);
    const columns = list.map(({ first, last }) => onlyColumn(statement, words, first, last));
    // The expression `extract(epoch from created_at)` is treated as a call with two arguments.
    return [name === 'extract' ? [undefined, fieldSource(statement, words, list[0])] : columns];
  });
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Returns the ranges of words between the commas of a list. `open` is the index of the opening parenthesis. */
function argumentsBehind(words: readonly Word[], open: number): Range[] {
  const ranges: Range[] = [];
  let depth = 0;
  let first = open + 1;
  for (let index = open; index < words.length; index++) {
    const { text } = words[index] as Word;
    if (text === '(' || text === '[') depth++;
    if (text === ')' || text === ']') depth--;
    if (depth > 1 || (depth === 1 && text !== ',')) continue;
    if (index > first) ranges.push({ first, last: index - 1 });
    first = index + 1;
    if (depth === 0) break;
  }
  return ranges;
}

function fieldSource(statement: string, words: readonly Word[], range: Range | undefined) {
  const from = words.findIndex(({ text }, index) => index > (range?.first ?? 0) && text === 'from');
  return range === undefined || from < 0 || from > range.last
    ? undefined
    : onlyColumn(statement, words, from + 1, range.last);
}

function onlyColumn(
  statement: string,
  words: readonly Word[],
  first: number,
  last: number,
): Operand | undefined {
  const isColumn = last === first || (last === first + 2 && words[first + 1]?.text === '.');
  return isColumn ? columnEndingAt(statement, words, last) : undefined;
}

function columnEndingAt(statement: string, words: readonly Word[], index: number): Operand | undefined {
  const word = words[index];
  if (word === undefined || !word.isName) return undefined;
  const before = words[index - 1]?.text === '.' ? words[index - 2] : undefined;
  const position = [...statement.slice(0, word.start)].length + 1;
  return { name: word.text, qualifier: before?.isName ? before.text : undefined, position };
}
