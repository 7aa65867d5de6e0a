/** A script as its statements. Pure. */
import { significant, type Token, tokenize } from './tokens.ts';

export interface Statement {
  /** Without the semicolon and what stands around it. */
  readonly text: string;
  /** UTF-16 offset of the text in the script. */
  readonly start: number;
  readonly end: number;
  /** Without comments. */
  readonly tokens: readonly Token[];
}

/**
 * @example
 * splitStatements("select ';'; select 2").map(({ text }) => text); // ["select ';'", 'select 2']
 */
export function splitStatements(script: string): Statement[] {
  const statements: Statement[] = [];
  let current: Token[] = [];
  let parentheses = 0;
  let blocks = 0;
  const finish = (): void => {
    const [first] = current;
    const last = current.at(-1);
    if (first !== undefined && last !== undefined) {
      const text = script.slice(first.start, last.end);
      statements.push({ text, start: first.start, end: last.end, tokens: current });
    }
    current = [];
    parentheses = 0;
    blocks = 0;
  };
  for (const token of significant(tokenize(script))) {
    if (token.text === ';' && token.kind === 'symbol' && parentheses === 0 && blocks === 0) {
      finish();
      continue;
    }
    if (token.kind === 'symbol' && token.text === '(') parentheses++;
    if (token.kind === 'symbol' && token.text === ')') parentheses = Math.max(0, parentheses - 1);
    // CREATE FUNCTION … BEGIN ATOMIC …; …; END: its statements belong to it.
    if (token.kind === 'word' && makesRoutine(current)) {
      if (token.text === 'atomic' && current.at(-1)?.text === 'begin') blocks++;
      else if (blocks > 0 && token.text === 'case') blocks++;
      else if (blocks > 0 && token.text === 'end') blocks--;
    }
    current.push(token);
  }
  finish();
  return statements;
}

const makesRoutine = ([first, ...rest]: readonly Token[]): boolean =>
  first?.text === 'create' &&
  rest.slice(0, 3).some(({ text }) => text === 'function' || text === 'procedure');

/** The word that says what a statement is; '' when it begins with none. */
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

/** It begins or ends a transaction, or a part of one. */
export const controlsTransaction = (statement: Statement): boolean => {
  const words = statement.tokens.map(({ text }) => text);
  return transactionVerbs.has(words[0] ?? '') || (words[0] === 'prepare' && words[1] === 'transaction');
};

/** PostgreSQL refuses it within a transaction. */
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
