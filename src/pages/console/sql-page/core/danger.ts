/** Finds statements that require confirmation because they are destructive or their effects can't be determined. */

import type { SqlToken } from '../../../../base/shared/sql/lex.ts';
import type { Danger, Question } from '../contract.ts';
import { type Statement, splitStatements, verbOf } from './statements.ts';

const shownChars = 300;

export function questionsOf(script: string): Question[] {
  return splitStatements(script).flatMap((statement) => {
    const danger = dangerOf(statement);
    if (danger === undefined) return [];
    return [
      {
        danger,
        statement: statement.text.slice(0, shownChars),
        start: statement.start,
        end: statement.end,
      },
    ];
  });
}

/** The first words of statements that never delete stored data. */
const harmless = new Set([
  'abort',
  'analyze',
  'begin',
  'checkpoint',
  'close',
  'cluster',
  'comment',
  'commit',
  'copy',
  'create',
  'deallocate',
  'declare',
  'discard',
  'end',
  'fetch',
  'grant',
  'import',
  'insert',
  'listen',
  'load',
  'lock',
  'move',
  'notify',
  'refresh',
  'reindex',
  'release',
  'reset',
  'revoke',
  'rollback',
  'savepoint',
  'security',
  'select',
  'set',
  'show',
  'start',
  'table',
  'unlisten',
  'vacuum',
  'values',
]);

export function dangerOf(statement: Pick<Statement, 'tokens'>): Danger | undefined {
  const { tokens } = statement;
  const verb = verbOf(statement);
  switch (verb) {
    case 'drop':
      return 'drop';
    case 'truncate':
      return 'truncate';
    case 'alter':
      return alterDanger(tokens);
    case 'explain':
      return explainDanger(tokens);
    case 'prepare':
      return tokens[1]?.text === 'transaction' ? undefined : preparedDanger(tokens);
    case 'delete':
    case 'update':
    case 'merge':
    case 'with':
    case 'select':
    case 'insert':
    case 'create':
      // A CREATE statement can contain other statements (in rules and functions), but these statements don't run when
      // the CREATE statement runs.
      return verb === 'create' ? undefined : changeDanger(tokens);
    default:
      return harmless.has(verb) ? undefined : 'unclear';
  }
}

function alterDanger(tokens: readonly SqlToken[]): Danger | undefined {
  const words = outer(tokens).map(({ kind, text }) => (kind === 'word' ? text : ''));
  if (words[1] === 'system') return 'unclear';
  if (words.includes('drop')) return 'alter-drop';
  const level = words.indexOf('level');
  const before = words.slice(Math.max(0, level - 4), level);
  if (level > 0 && (before.includes('disable') || (before.includes('no') && before.includes('force'))))
    return 'rls-off';
  return undefined;
}

/** Checks the statement inside EXPLAIN ANALYZE, because EXPLAIN ANALYZE runs that statement. */
function explainDanger(tokens: readonly SqlToken[]): Danger | undefined {
  const runs = tokens.some(({ kind, text }) => kind === 'word' && (text === 'analyze' || text === 'analyse'));
  if (!runs) return undefined;
  let rest = tokens.slice(1);
  if (rest[0]?.text === '(') rest = rest.slice(endOfParentheses(rest) + 1);
  else while (['analyze', 'analyse', 'verbose'].includes(rest[0]?.text ?? '')) rest = rest.slice(1);
  return dangerOf({ tokens: rest });
}

function preparedDanger(tokens: readonly SqlToken[]): Danger | undefined {
  const as = tokens.findIndex(({ kind, text }) => kind === 'word' && text === 'as');
  return as < 0 ? 'unclear' : dangerOf({ tokens: tokens.slice(as + 1) });
}

/**
 * Checks every DELETE, UPDATE and MERGE in the statement, including those in WITH, each at its own parenthesis level.
 */
function changeDanger(tokens: readonly SqlToken[]): Danger | undefined {
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'word' || !beginsStatement(tokens, at)) continue;
    const level = outer(tokens.slice(at));
    if (token.text === 'delete' && !narrows(level)) return 'delete-all';
    if (token.text === 'update' && !narrows(level)) return 'update-all';
    if (token.text === 'merge' && level.some(({ kind, text }) => kind === 'word' && text === 'delete'))
      return 'delete-all';
  }
  return undefined;
}

/**
 * Whether the keyword begins a statement. For example, the keywords in `FOR UPDATE`, `ON CONFLICT DO UPDATE` and
 * `THEN DELETE` don't begin a statement. A keyword begins a statement only if it is the first token or follows the
 * parentheses of WITH.
 */
function beginsStatement(tokens: readonly SqlToken[], at: number): boolean {
  const before = tokens[at - 1]?.text;
  return before === undefined || before === '(' || (before === ')' && tokens[0]?.text === 'with');
}

/** Whether the statement has a WHERE clause whose condition isn't just `true`. */
function narrows(level: readonly SqlToken[]): boolean {
  const where = level.findIndex(({ kind, text }) => kind === 'word' && text === 'where');
  if (where < 0) return false;
  const condition: string[] = [];
  for (const { kind, text } of level.slice(where + 1)) {
    if (kind === 'word' && text === 'returning') break;
    condition.push(text);
  }
  const [left, sign, right] = condition;
  if (condition.length === 1) return left !== 'true';
  return !(condition.length === 3 && sign === '=' && left === right);
}

/** Returns the tokens that are at the parenthesis level of the first token, up to the end of that level. */
function outer(tokens: readonly SqlToken[]): SqlToken[] {
  const level: SqlToken[] = [];
  let depth = 0;
  for (const token of tokens) {
    const isSymbol = token.kind === 'symbol';
    if (isSymbol && token.text === ')') {
      depth--;
      if (depth < 0) break;
    }
    if (depth === 0) level.push(token);
    if (isSymbol && token.text === '(') depth++;
  }
  return level;
}

function endOfParentheses(tokens: readonly SqlToken[]): number {
  let depth = 0;
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== 'symbol') continue;
    if (text === '(') depth++;
    if (text === ')') depth--;
    if (depth === 0) return at;
  }
  return tokens.length;
}
