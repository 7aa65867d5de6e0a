/** Restores a database by running a dump. Supports Plinth's dumps and pg_dump's plain format. */
import { createReadStream } from 'node:fs';
import {
  type ConnectionOptions,
  type CopySession,
  openCopySession,
  PostgresError,
} from '../../platform/database/index.ts';
import { readScript, type ScriptStatement } from './core/script.ts';
import { DumpError } from './errors.ts';

export interface RestoreOptions {
  readonly target: ConnectionOptions;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Whether to skip statements that fail. If false, a failed statement undoes the whole restore. */
  readonly keepGoing: boolean;
  /** Called for each skipped statement. */
  readonly onSkip: (message: string) => void;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface RestoreReport {
  readonly statements: number;
  readonly skipped: number;
}

export const readDumpFile = (path: string): AsyncIterable<Uint8Array> => createReadStream(path);

/** Runs the dump and returns a summary. @throws {DumpError} @throws {ConnectionError} */
export async function restoreDump(options: RestoreOptions): Promise<RestoreReport> {
  const session = await openCopySession(options.target);
  const onAbort = (): void => session.destroy();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    options.signal?.throwIfAborted();
    return await runScript(session, options);
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    session.destroy();
  }
}

const progressIntervalMs = 5_000;

async function runScript(session: CopySession, options: RestoreOptions): Promise<RestoreReport> {
  let statements = 0;
  let skipped = 0;
  let reportedAt = performance.now();
  if (!options.keepGoing) await session.exec('begin');
  for await (const statement of readScript(options.chunks)) {
    try {
      await run(session, statement);
      statements += 1;
    } catch (error) {
      const reason = explain(session, statement, error);
      if (!options.keepGoing || reason.code !== 'statement_failed') throw reason;
      skipped += 1;
      options.onSkip(reason.message);
    }
    const now = performance.now();
    if (now - reportedAt > progressIntervalMs) {
      reportedAt = now;
      options.onProgress(`Restored up to line ${statement.line.toLocaleString('en-US')}`);
    }
  }
  if (!options.keepGoing) await session.exec('commit');
  return { statements, skipped };
}

async function run(session: CopySession, { text, rows }: ScriptStatement): Promise<void> {
  if (rows === undefined) await session.exec(text);
  else await session.copyIn(text, rows);
}

/** Returns an error that contains the line number of the failed statement. */
function explain(session: CopySession, { line, text }: ScriptStatement, error: unknown): DumpError {
  if (error instanceof DumpError) return error;
  const { message } = error as Error;
  if (!session.isOpen() || !(error instanceof PostgresError))
    return new DumpError('connection_lost', { line, reason: message }, error);
  // PostgreSQL's lock table has a fixed size. Only the error about a full lock table has a hint that mentions this
  // setting.
  if (error.code === '53200' && error.hint?.includes('max_locks_per_transaction'))
    return new DumpError('too_many_locks', { line }, error);
  const { position, detail, where } = error;
  const at = position === undefined ? line : line + text.slice(0, position - 1).split('\n').length - 1;
  const reason = [message, detail, where?.split('\n')[0]].filter(Boolean).join('; ');
  return new DumpError('statement_failed', { line: at, reason }, error);
}
