/** Finds the tables and columns in a statement to which an error refers. */
import { lex } from '../../../base/shared/sql/lex.ts';
import type { Failure } from '../../folder/index.ts';

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

/** Converts PostgreSQL's position, which counts characters from 1, to an offset in the text. */
export const offsetOf = (statement: string, position: number): number =>
  [...statement].slice(0, position - 1).join('').length;

const unquoted = (written: string, quote: string): string =>
  written.slice(1, -1).replaceAll(quote + quote, quote);

interface FailedQuery {
  readonly query: string;
  readonly position: number | undefined;
}

/** Returns the query that failed. If the statement is a block or creates a function, the failed query is inside it. */
export function failedQuery(
  { internalQuery, internalPosition, where = '', position }: Failure,
  statement: string,
): FailedQuery {
  if (internalQuery !== undefined) return { query: internalQuery, position: internalPosition };
  const inner = /^SQL statement "([\s\S]+?)"$/m.exec(where)?.[1];
  // The position in the error refers to the outer statement.
  if (inner !== undefined) return { query: inner, position: undefined };
  return (
    (position === undefined ? undefined : bodyAround(statement, position)) ?? { query: statement, position }
  );
}

/** Returns the body of the function that contains the position. */
function bodyAround(statement: string, position: number): FailedQuery | undefined {
  const at = offsetOf(statement, position);
  const body = wordsOf(statement).find(
    ({ text, start, isString }) => isString && text.startsWith('$') && start < at && at < start + text.length,
  );
  if (body === undefined) return undefined;
  const tag = /^\$\w*\$/.exec(body.text)?.[0].length ?? 0;
  const before = [...statement.slice(0, body.start + tag)].length;
  return { query: body.text.slice(tag, body.text.length - tag), position: position - before };
}

/** Returns the schema that precedes the table's name in the statement, such as `shop` for `shop.orders`. */
export function writtenSchema(statement: string, table: string): string | undefined {
  const words = wordsOf(statement);
  const at = words.findIndex(
    ({ text, isName }, index) => isName && text === table && words[index - 1]?.text === '.',
  );
  return words[at - 2]?.text;
}

/** Returns the table in `insert into TABLE` or `update TABLE`. */
export function insertedTable(statement: string): string | undefined {
  const words = wordsOf(statement);
  const at = words.findIndex(({ text }, index) => text === 'into' && words[index - 1]?.text === 'insert');
  if (at < 0) return undefined;
  return words[at + 2]?.text === '.' ? words[at + 3]?.text : words[at + 1]?.text;
}

/** Returns the names in the parentheses that follow the word at `at`. */
function listBehind(words: readonly Word[], at: number): string[] | undefined {
  if (words[at + 1]?.text !== '(') return undefined;
  const end = words.findIndex(({ text }, index) => index > at && text === ')');
  return words.slice(at + 2, end).flatMap(({ text, isName }) => (isName ? [text] : []));
}

/** Returns the columns listed in each `insert into TABLE (…)` of a function's body. */
export function insertedColumns(
  body: string,
  { schema, name }: { readonly schema: string; readonly name: string },
): string[] {
  const words = wordsOf(body);
  const inserts = words.flatMap(({ text }, index) =>
    text === 'into' && words[index - 1]?.text === 'insert' ? [index] : [],
  );
  return inserts.flatMap((into) => {
    const isQualified = words[into + 2]?.text === '.';
    const nameAt = isQualified ? into + 3 : into + 1;
    if (words[nameAt]?.text !== name || (isQualified && words[into + 1]?.text !== schema)) return [];
    const listAt = words[nameAt + 1]?.text === 'as' ? nameAt + 2 : nameAt;
    return listBehind(words, listAt) ?? [];
  });
}

/** Returns the columns in `on conflict (a, b)`. */
export function conflictColumns(statement: string): string[] | undefined {
  const words = wordsOf(statement);
  const at = words.findIndex(({ text }, index) => text === 'conflict' && words[index - 1]?.text === 'on');
  const columns = at < 0 ? undefined : listBehind(words, at);
  return columns?.length === 0 ? undefined : columns;
}

/** Returns the columns in `references TABLE (a, b)`. */
export function referencedColumnsOf(statement: string, table: string): string[] | undefined {
  const words = wordsOf(statement);
  const at = words.findIndex(({ text }, index) => {
    const before = words[index - 1]?.text === '.' ? words[index - 3]?.text : words[index - 1]?.text;
    return text === table && before === 'references';
  });
  return at < 0 ? undefined : listBehind(words, at);
}

export interface TableName {
  readonly schema?: string;
  readonly name: string;
}

/** Returns the tables in all `references` clauses. */
export function referencedTables(statement: string): TableName[] {
  const words = wordsOf(statement);
  return words.flatMap(({ text }, index) => {
    const [first, dot, second] = words.slice(index + 1);
    if (text !== 'references' || first === undefined) return [];
    return [dot?.text === '.' && second ? { schema: first.text, name: second.text } : { name: first.text }];
  });
}

/** Returns the operands of all comparisons. The comparison at the given position comes first. */
export function comparedColumns(
  statement: string,
  position: number | undefined,
): { readonly name: string; readonly isLeft: boolean }[] {
  const words = wordsOf(statement);
  const found: { readonly name: string; readonly isLeft: boolean; readonly distance: number }[] = [];
  const at = position === undefined ? undefined : offsetOf(statement, position);
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

/** Returns the column into which an INSERT with VALUES writes this string. */
export function columnOfValue(statement: string, value: string): string | undefined {
  const words = wordsOf(statement);
  const into = words.findIndex(({ text }) => text === 'into');
  const nameEnd = words[into + 2]?.text === '.' ? into + 3 : into + 1;
  const columns = into < 0 ? undefined : listBehind(words, nameEnd);
  if (columns === undefined) return undefined;
  const from = words.findIndex(({ text }) => text === 'values' || text === 'select');
  // The inserted values are in `values (a, b), (c, d)` or `select a, b`.
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
 * Returns the column at this position (starting at 1) in the result of the last query in a function. Returns undefined
 * if the result column is an expression.
 */
export function selectedColumn(
  statement: string,
  position: number,
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
  const item = items[position - 1] ?? [];
  // The item is `column` or `alias.column`, optionally followed by a name for the result column.
  const name = item[1]?.text === '.' ? item[2] : item[0];
  const rest = item.slice(item[1]?.text === '.' ? 3 : 1);
  const isColumn =
    name?.isName === true && (rest.length === 0 || rest.length === 1 || rest[0]?.text === 'as');
  return isColumn && rest.every(({ isName }) => isName) ? { query, name: name.text } : undefined;
}
