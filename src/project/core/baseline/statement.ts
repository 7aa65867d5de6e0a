/** Finds the tables and columns in a statement that an error concerns. */
import { lex } from '../../../shared/sql/lex.ts';

/** Whether the statement contains the name as a separate word, with or without schema and quotes. */
export const mentions = (statement: string, name: string): boolean =>
  new RegExp(String.raw`(?<![\w$])${name.replace(/[^\w]/g, String.raw`\$&`)}(?![\w$])`, 'i').test(statement);

export interface Word {
  readonly text: string;
  readonly start: number;
  readonly isName: boolean;
  readonly isString: boolean;
}

export function wordsOf(statement: string): Word[] {
  const words: Word[] = [];
  for (const { kind, start, end } of lex(statement)) {
    if (kind === 'space' || kind === 'comment') continue;
    const written = statement.slice(start, end);
    const text = kind === 'word' ? written.toLowerCase() : kind === 'name' ? unquoted(written, '"') : written;
    words.push({
      text,
      start,
      isName: kind === 'word' || kind === 'name',
      isString: kind === 'string',
    });
  }
  return words;
}

const unquoted = (written: string, quote: string): string =>
  written.slice(1, -1).replaceAll(quote + quote, quote);

/** `insert into TABLE` or `update TABLE` */
export function insertedTable(statement: string): string | undefined {
  const words = wordsOf(statement);
  const at = words.findIndex(({ text }, index) => text === 'into' && words[index - 1]?.text === 'insert');
  if (at < 0) return undefined;
  return words[at + 2]?.text === '.' ? words[at + 3]?.text : words[at + 1]?.text;
}

/** Returns the names in the parentheses after the word at `at`. */
function listBehind(words: readonly Word[], at: number): string[] | undefined {
  if (words[at + 1]?.text !== '(') return undefined;
  const end = words.findIndex(({ text }, index) => index > at && text === ')');
  return words.slice(at + 2, end).flatMap(({ text, isName }) => (isName ? [text] : []));
}

/** `on conflict (a, b)` */
export function conflictColumns(statement: string): string[] | undefined {
  const words = wordsOf(statement);
  const at = words.findIndex(({ text }, index) => text === 'conflict' && words[index - 1]?.text === 'on');
  const columns = at < 0 ? undefined : listBehind(words, at);
  return columns?.length === 0 ? undefined : columns;
}

/** `references TABLE (a, b)` */
export function referencedColumnsOf(statement: string, table: string): string[] | undefined {
  const words = wordsOf(statement);
  const at = words.findIndex(({ text }, index) => {
    const before = words[index - 1]?.text === '.' ? words[index - 3]?.text : words[index - 1]?.text;
    return text === table && before === 'references';
  });
  return at < 0 ? undefined : listBehind(words, at);
}

/** Returns the operands of comparisons. The comparison at the position comes first. */
export function comparedColumns(
  statement: string,
  position: number | undefined,
): { readonly name: string; readonly isLeft: boolean }[] {
  const words = wordsOf(statement);
  const found: { readonly name: string; readonly isLeft: boolean; readonly distance: number }[] = [];
  const at = position === undefined ? undefined : [...statement].slice(0, position - 1).join('').length;
  words.forEach((word, index) => {
    if (!'=<>'.includes(word.text) && word.text !== 'in') return;
    const distance = at === undefined ? 0 : Math.abs(word.start - at);
    const left = words[index - 1];
    if (left?.isName) found.push({ name: left.text, isLeft: true, distance });
    let next = index + 1;
    while ('=<>('.includes(words[next]?.text ?? ' ')) next++;
    while (words[next + 1]?.text === '.') next += 2;
    const right = words[next];
    if (right?.isName) found.push({ name: right.text, isLeft: false, distance });
  });
  return found.sort((a, b) => a.distance - b.distance);
}

/** Returns the column to which an insert's VALUES assign this string. */
export function columnOfValue(statement: string, value: string): string | undefined {
  const words = wordsOf(statement);
  const into = words.findIndex(({ text }) => text === 'into');
  const nameEnd = words[into + 2]?.text === '.' ? into + 3 : into + 1;
  const columns = into < 0 ? undefined : listBehind(words, nameEnd);
  if (columns === undefined) return undefined;
  const from = words.findIndex(({ text }) => text === 'values' || text === 'select');
  // `values (a, b), (c, d)` or `select a, b`
  const level = words[from]?.text === 'values' ? 1 : 0;
  let depth = 0;
  let column = 0;
  for (const { text, isString } of words.slice(from + 1)) {
    if (text === '(') depth++;
    else if (text === ')') depth--;
    if (text === '(' && depth === level) column = 0;
    if (text === ',' && depth === level) column++;
    if (isString && depth === level && unquoted(text, "'") === value) return columns[column];
  }
  return undefined;
}

/**
 * Returns the column at this place (1-based) of the result of the last query in a function's body. Undefined for an
 * expression.
 */
export function selectedColumn(
  statement: string,
  place: number,
): { readonly query: string; readonly name: string } | undefined {
  const body = wordsOf(statement).findLast(({ isString }) => isString)?.text;
  const query = body?.startsWith('$') ? body.replace(/^\$\w*\$|\$\w*\$$/g, '') : unquoted(body ?? "''", "'");
  const items: Word[][] = [];
  let depth = 0;
  let isList = false;
  for (const word of wordsOf(query)) {
    if (word.text === '(') depth++;
    if (word.text === ')') depth--;
    if (depth === 0 && word.text === 'select') {
      isList = true;
      items.splice(0, items.length, []);
    } else if (depth === 0 && word.text === 'from') isList = false;
    else if (isList && depth === 0 && word.text === ',') items.push([]);
    else if (isList) items.at(-1)?.push(word);
  }
  const item = items[place - 1] ?? [];
  // `column` or `alias.column`, with or without a name in the result
  const name = item[1]?.text === '.' ? item[2] : item[0];
  const rest = item.slice(item[1]?.text === '.' ? 3 : 1);
  const isColumn =
    name?.isName === true && (rest.length === 0 || rest.length === 1 || rest[0]?.text === 'as');
  return isColumn && rest.every(({ isName }) => isName) ? { query, name: name.text } : undefined;
}
