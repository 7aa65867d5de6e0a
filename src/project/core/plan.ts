/**
 * Plans how a file's statements run: in a single transaction if possible. A file's own BEGIN … COMMIT blocks become our
 * transactions. Only statements that PostgreSQL rejects inside a transaction run alone.
 */
import { grantedWhereThere } from './extension-grant.ts';
import { asEmbedded, type MissingExtensions } from './extension-statement.ts';
import { asPrivileged, type Privileged } from './privileged.ts';
import type { Statement } from './split.ts';
import { withoutVectorIndexOptions } from './vector-index.ts';

export interface PlannedStatement {
  /** Counted from 0, as in upstream. */
  readonly index: number;
  /**
   * The text to send. It has the same length as in the file, so that error positions match, except for statements about
   * extensions.
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
  /** Whether nothing else uses the database. CONCURRENTLY is then removed, so that the file stays one transaction. */
  readonly quiet: boolean;
  /** Set if the server is ours. Its `vector` has indexes without parameters, and these extensions are placeholders. */
  readonly embedded: { readonly missing: MissingExtensions } | undefined;
}

export function planFile(statements: readonly Statement[], { quiet, embedded }: PlanOptions): Step[] {
  const steps: Step[] = [];
  let open: PlannedStatement[] = [];
  const close = (end: 'commit' | 'rollback') => {
    if (open.length > 0) steps.push({ kind: 'transaction', statements: open, end });
    open = [];
  };

  statements.forEach(({ text: written, words }, index) => {
    const text = embedded === undefined ? written : sentToEmbedded(written, words, embedded.missing);
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
      open.push({ index, text: text.replace(/\bconcurrently\b/i, (found) => ' '.repeat(found.length)) });
    } else if (refusesTransaction(words)) {
      close('commit');
      steps.push({ kind: 'alone', statement: { index, text } });
    } else {
      const privileged = asPrivileged(text);
      open.push(privileged === undefined ? { index, text } : { index, text, privileged });
    }
  });
  close('commit');
  return steps;
}

function sentToEmbedded(written: string, words: Words, missing: MissingExtensions): string {
  const indexed = withoutVectorIndexOptions(written, words);
  return grantedWhereThere(asEmbedded(indexed, words, missing), words, missing);
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

/** `begin isolation level serializable` -> `isolation level serializable`. */
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

/** Statements that PostgreSQL rejects inside a transaction block. */
function refusesTransaction(words: Words): boolean {
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
