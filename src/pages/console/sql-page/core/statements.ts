/** Splits a script into statements. */

import { type SqlToken, significant, tokenize } from '../../../../base/shared/sql/lex.ts';
import { splitSql } from '../../../../base/shared/sql/split.ts';

export interface Statement {
  /** The statement without its semicolon and surrounding whitespace. */
  readonly text: string;
  /** The offset of the statement in the script, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** The tokens of the statement without comments. */
  readonly tokens: readonly SqlToken[];
}

/**
 * Splits a script into statements.
 *
 * @example
 * splitStatements("select ';'; select 2").map(({ text }) => text); // ["select ';'", 'select 2']
 */
export function splitStatements(script: string): Statement[] {
  return [...splitSql(script)].flatMap(({ start: offset, end: statementEnd, settings }) => {
    const tokens = significant(tokenize(script.slice(offset, statementEnd), settings)).map((token) => ({
      ...token,
      start: token.start + offset,
      end: token.end + offset,
    }));
    const [start, end] = [tokens[0]?.start, tokens.at(-1)?.end];
    if (start === undefined || end === undefined) return [];
    return [{ text: script.slice(start, end), start, end, tokens }];
  });
}

/** Returns the first keyword of a statement, or an empty string if the statement doesn't begin with a keyword. */
export function verbOf({ tokens }: Pick<Statement, 'tokens'>): string {
  const first = tokens.find(({ text }) => text !== '(');
  return first?.kind === 'word' ? first.text : '';
}

const transactionVerbs = new Set([
  'begin',
  'start',
  'commit',
  'end',
  'rollback',
  'abort',
  'savepoint',
  'release',
]);

/** Whether the statement begins or ends a transaction or savepoint. */
export const controlsTransaction = (statement: Statement): boolean => {
  const words = statement.tokens.map(({ text }) => text);
  return transactionVerbs.has(words[0] ?? '') || (words[0] === 'prepare' && words[1] === 'transaction');
};

/** Whether PostgreSQL doesn't allow the statement in a transaction. */
export function needsNoTransaction({ tokens }: Statement): boolean {
  const [first = '', second = ''] = tokens.map(({ text }) => text);
  if (first === 'vacuum' || (first === 'alter' && second === 'system')) return true;
  if ((first === 'create' || first === 'drop') && ['database', 'tablespace', 'subscription'].includes(second))
    return true;
  return (
    ['create', 'drop', 'reindex', 'refresh', 'alter'].includes(first) &&
    tokens.some(({ kind, text }) => kind === 'word' && text === 'concurrently')
  );
}
