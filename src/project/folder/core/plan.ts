/**
 * Plans how the statements of a file run. If possible, all statements run in a single transaction. BEGIN … COMMIT
 * blocks in the file become separate transactions. Statements that PostgreSQL doesn't allow in a transaction run alone.
 */

import { lex } from '../../../base/shared/sql/lex.ts';
import { asEmbedded, grantedWhereThere, type MissingExtensions } from './extension-statement.ts';
import { type AdaptedStatement, asExternal, type ServerExtensions } from './external-extension.ts';
import { asPrivileged, type Privileged } from './privileged.ts';
import type { Statement } from './split.ts';

export interface PlannedStatement {
  /** The index of the statement. The index starts at 0, as in upstream. */
  readonly index: number;
  /**
   * The text to send. Unless the statement concerns an extension, the text has the same length as in the file, so that
   * error positions are correct.
   */
  readonly text: string;
  readonly privileged?: Privileged;
}

export type Step =
  | {
      readonly kind: 'transaction';
      readonly statements: readonly PlannedStatement[];
      readonly end: 'commit' | 'rollback';
    }
  | { readonly kind: 'alone'; readonly statement: PlannedStatement };

export interface PlanOptions {
  /**
   * Whether no other session uses the database. If true, CONCURRENTLY is removed so that the file can run in a single
   * transaction.
   */
  readonly quiet: boolean;
  /** Set for the embedded server, where the extensions in `missing` are placeholders. */
  readonly embedded: { readonly missing: MissingExtensions } | undefined;
  /** The extensions of a server that Plinth doesn't install. */
  readonly external?: ServerExtensions | undefined;
}

export function planFile(
  statements: readonly Statement[],
  { quiet, embedded, external }: PlanOptions,
): Step[] {
  const steps: Step[] = [];
  let open: PlannedStatement[] = [];
  const close = (end: 'commit' | 'rollback') => {
    if (open.length > 0) steps.push({ kind: 'transaction', statements: open, end });
    open = [];
  };

  statements.forEach(({ text: written, words }, index) => {
    const adapted: AdaptedStatement =
      external === undefined ? { text: written } : asExternal(written, words, external);
    const text = embedded === undefined ? adapted.text : sentToEmbedded(written, words, embedded.missing);
    const control = transactionControl(words);
    if (words.length === 0) return;
    if (control === 'begin') {
      const modes = beginModes(words);
      if (modes !== '') {
        close('commit');
        open.push({ index, text: `set transaction ${modes}` });
      }
    } else if (control === 'commit' || control === 'rollback') {
      close(control);
    } else if (quiet && isConcurrentIndex(words)) {
      open.push({ index, text: withoutConcurrently(text) });
    } else if (rejectsTransaction(words)) {
      close('commit');
      steps.push({ kind: 'alone', statement: { index, text } });
    } else {
      const privileged = adapted.privileged ?? asPrivileged(text);
      open.push(privileged === undefined ? { index, text } : { index, text, privileged });
    }
  });
  close('commit');
  return steps;
}

function sentToEmbedded(written: string, words: Words, missing: MissingExtensions): string {
  return grantedWhereThere(asEmbedded(written, words, missing), words, missing);
}

type Words = readonly string[];

function transactionControl([first, second]: Words): 'begin' | 'commit' | 'rollback' | undefined {
  if (first === 'begin' || (first === 'start' && second === 'transaction')) return 'begin';
  if ((first === 'commit' && second !== 'prepared') || first === 'end') return 'commit';
  if (first === 'abort' || (first === 'rollback' && second !== 'to' && second !== 'prepared')) {
    return second === 'work' || second === 'transaction' || second === undefined ? 'rollback' : undefined;
  }
  return undefined;
}

/**
 * Returns the modes of a transaction, such as `isolation level serializable` for `begin isolation level serializable`.
 */
function beginModes([first, ...rest]: Words): string {
  const modes = first === 'start' || rest[0] === 'work' || rest[0] === 'transaction' ? rest.slice(1) : rest;
  return modes.join(' ');
}

function isConcurrentIndex(words: Words): boolean {
  const [first, second, third, fourth] = words;
  if (first === 'drop') return second === 'index' && third === 'concurrently';
  if (first !== 'create') return false;
  return (
    (second === 'index' && third === 'concurrently') ||
    (second === 'unique' && third === 'index' && fourth === 'concurrently')
  );
}

/** Replaces the keyword CONCURRENTLY with spaces. The word can also occur in a comment before the statement. */
function withoutConcurrently(text: string): string {
  for (const { kind, start, end } of lex(text))
    if (kind === 'word' && text.slice(start, end).toLowerCase() === 'concurrently')
      return text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
  return text;
}

/** Whether PostgreSQL doesn't allow the statement in a transaction block. */
function rejectsTransaction(words: Words): boolean {
  const [first, second, third] = words;
  if (isConcurrentIndex(words) || first === 'vacuum') return true;
  if (first === 'alter' && second === 'system') return true;
  if (first === 'alter' && second === 'table')
    return words.includes('detach') && words.includes('concurrently');
  if (first === 'reindex')
    return words.includes('concurrently') || second === 'database' || second === 'system';
  if (first === 'create' || first === 'drop') {
    return (
      second === 'database' || second === 'tablespace' || (second === 'subscription' && third !== undefined)
    );
  }
  return false;
}
