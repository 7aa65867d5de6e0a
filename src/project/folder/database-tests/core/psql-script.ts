/**
 * Parses a test file as psql does, into statements and the psql commands that test suites use. A `command` begins with
 * a backslash. A `variable` is set by \set and inserted by `:name`.
 */
import { nextToken } from '../../../../base/shared/sql/lex.ts';
import { type Statement, splitStatements } from '../../core/split.ts';

export type ScriptStep =
  | {
      readonly kind: 'statement';
      readonly text: string;
      readonly line: number;
      readonly words: Statement['words'];
    }
  | {
      readonly kind: 'command';
      /** The name of the command, without the backslash. */
      readonly name: string;
      readonly args: readonly string[];
      readonly line: number;
      /** The unterminated statement that precedes the command. `\gset` and `\g` run this statement. */
      readonly pending: string;
    };

const standard = { standardConformingStrings: true };

/**
 * Parses a test file.
 * @example readScript('\\set n 1\nselect :n;').map(({ kind }) => kind) // ['command', 'statement']
 */
export function readScript(source: string): ScriptStep[] {
  const text = source.replace(/^\uFEFF/, '');
  const steps: ScriptStep[] = [];
  let start = 0;
  let at = 0;
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const take = (end: number) => {
    const before = lineOf(start) - 1;
    for (const { text: statement, line, words } of splitStatements(text.slice(start, end)))
      steps.push({ kind: 'statement', text: statement, line: before + line, words });
  };
  let lastEnd = 0;
  while (at < text.length) {
    const token = nextToken(text, at, standard);
    const char = text[at];
    if (token.kind === 'symbol' && char === ';') lastEnd = token.end;
    if (token.kind !== 'symbol' || char !== '\\' || !/[a-z!]/i.test(text[at + 1] ?? '')) {
      at = token.end;
      continue;
    }
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const [name = '', ...args] = argumentsOf(text.slice(at + 1, end));
    const runsPending = /^g(set|exec|x|desc)?$/.test(name);
    // After any other command, psql would continue an unfinished statement. This behavior isn't supported because test
    // suites rarely rely on it.
    take(runsPending ? Math.max(start, lastEnd) : at);
    const pending = runsPending ? text.slice(Math.max(start, lastEnd), at).trim() : '';
    steps.push({ kind: 'command', name, args, line: lineOf(at), pending });
    start = end;
    at = end;
  }
  take(text.length);
  return steps;
}

/** Splits a command's line into the command's arguments, which can be quoted. */
function argumentsOf(line: string): string[] {
  return [...line.matchAll(/'((?:[^']|'')*)'|"([^"]*)"|([^\s'"]+)/g)].map(
    ([, single, double, bare]) => single?.replaceAll("''", "'") ?? double ?? bare ?? '',
  );
}

/**
 * Replaces `:name`, `:'name'` and `:"name"` with the values of variables. Unknown variables and casts aren't changed.
 *
 * @example withVariables("select :'word'", new Map([['word', "it's"]])) // "select 'it''s'"
 */
export function withVariables(statement: string, variables: ReadonlyMap<string, string>): string {
  if (variables.size === 0) return statement;
  let result = '';
  for (let at = 0; at < statement.length; ) {
    const token = nextToken(statement, at, standard);
    let part = statement.slice(at, token.end);
    let end = token.end;
    if (part === ':' && token.kind === 'symbol' && statement[at - 1] !== ':') {
      const [written = '', quoted, bare] = /^:(?:(['"])\w+\1|(\w+))/.exec(statement.slice(at)) ?? [];
      const value = variables.get(bare ?? written.slice(2, -1));
      if (written !== '' && value !== undefined) {
        part = quoted === undefined ? value : quoted + value.replaceAll(quoted, quoted + quoted) + quoted;
        end = at + written.length;
      }
    }
    result += part;
    at = end;
  }
  return result;
}

/** Whether the file consists of a single transaction that is rolled back. Such files can run concurrently. */
export function isSelfContained(steps: readonly ScriptStep[]): boolean {
  const statements = steps
    .filter((step) => step.kind === 'statement')
    .filter(({ words }) => words.length > 0);
  const [first, ...rest] = statements;
  const last = rest.pop();
  const includes = steps.some((step) => step.kind === 'command' && /^i(r|nclude\w*)?$/.test(step.name));
  const control = /^(begin|start|commit|end|abort|rollback|prepare|create database|drop database|vacuum)\b/;
  return (
    !includes &&
    /^(begin|start transaction)/.test(first?.words.join(' ') ?? '') &&
    /^(rollback|abort)/.test(last?.words.join(' ') ?? '') &&
    !rest.some(({ words }) => control.test(words.join(' ')) && !/^rollback to\b/.test(words.join(' ')))
  );
}
