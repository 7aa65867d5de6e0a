/**
 * Finds the tables to which a column in a statement can belong. The tables depend on the query that contains the
 * column.
 */
import { offsetOf, type Word, wordsOf } from './statement.ts';

interface ScopedTable {
  readonly schema?: string;
  readonly name: string;
  /** The alias, or the table's name if the query doesn't declare an alias. */
  readonly alias: string;
}

interface Query {
  readonly parent: Query | undefined;
  readonly tables: ScopedTable[];
  /** Whether a comma at this point continues a list of tables. */
  isInFrom: boolean;
}

const beforeTable = new Set(['from', 'join', 'update', 'into', 'table']);
/** Keywords that end a list of tables, or that can follow a table but aren't an alias. */
const afterTable = new Set(
  (
    'where on using join inner left right full cross natural group order having limit offset union intersect except set ' +
    'values select default returning for as lateral tablesample fetch window when with to add drop alter enable disable ' +
    'force rename owner'
  ).split(' '),
);
const beforeAlias = new Set(['if', 'exists', 'not', 'only']);

/**
 * Returns the tables around a position. The tables of the innermost query come first. In statements for policies,
 * indexes and triggers, the table belongs to the outermost query.
 *
 * @example tablesAround('update a set b = (select c from d x)', 25) // [[{ name: 'd', alias: 'x' }], [{ name: 'a', … }]]
 */
export function tablesAround(statement: string, position: number): ScopedTable[][] {
  const words = wordsOf(statement);
  const offset = offsetOf(statement, position);
  const isOnTable = /^\s*(create|alter|drop)\b[^(]*?\b(policy|index|trigger)\b/i.test(textOf(words));
  let query: Query = { parent: undefined, tables: [], isInFrom: false };
  const outermost = query;
  let around = query;
  words.forEach(({ text, start }, index) => {
    if (start <= offset) around = query;
    if (text === '(') query = { parent: query, tables: [], isInFrom: false };
    else if (text === ')') query = query.parent ?? outermost;
    else if (beforeTable.has(text) || (text === ',' && query.isInFrom)) {
      if (text === 'from') query.isInFrom = true;
      addTable(query, words, index + 1);
    } else if (text === 'on' && isOnTable && query === outermost && query.tables.length === 0)
      addTable(query, words, index + 1);
    else if (/^(where|set|values|group|order|returning)$/.test(text)) query.isInFrom = false;
    // An opening parenthesis belongs to the query that it opens.
    if (start <= offset) around = query;
  });
  const levels: ScopedTable[][] = [];
  for (let one: Query | undefined = around; one !== undefined; one = one.parent) levels.push(one.tables);
  return levels.filter((tables) => tables.length > 0);
}

/**
 * Returns the position at which a statement uses a column. PostgreSQL's error doesn't contain the position if the
 * column is in a policy expression or in a statement inside a function.
 */
export function positionOfColumn(statement: string, name: string, qualifier?: string): number | undefined {
  const words = wordsOf(statement);
  const word = words.find(({ text, isName }, index) => {
    const isQualified = words[index - 1]?.text === '.';
    if (!isName || text !== name || words[index + 1]?.text === '(') return false;
    return qualifier === undefined ? !isQualified : isQualified && words[index - 2]?.text === qualifier;
  });
  return word && [...statement.slice(0, word.start)].length + 1;
}

const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

function addTable(query: Query, words: readonly Word[], start: number): void {
  let at = start;
  while (beforeAlias.has(words[at]?.text ?? '')) at++;
  const schema = words[at + 1]?.text === '.' ? words[at]?.text : undefined;
  if (schema !== undefined) at += 2;
  const name = words[at];
  if (name === undefined || !name.isName || afterTable.has(name.text)) return;
  const next = words[at + 1]?.text === 'as' ? words[at + 2] : words[at + 1];
  const isAlias = next?.isName === true && !afterTable.has(next.text);
  const alias = isAlias ? next.text : name.text;
  query.tables.push({ ...(schema === undefined ? {} : { schema }), name: name.text, alias });
}
