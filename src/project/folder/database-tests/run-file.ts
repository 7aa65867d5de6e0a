/** Runs a test file in a separate session, like psql with ON_ERROR_STOP and without column headers. */
import {
  type ConnectionOptions,
  openTextSession,
  PostgresError,
  type TextSession,
} from '../../../platform/database/index.ts';
import { isPackageManagerSetup } from '../core/package-manager.ts';
import { absentExtensionSentence } from '../missing-extensions.ts';
import { readScript, type ScriptStep, withVariables } from './core/psql-script.ts';
import type { FileOutcome } from './core/report.ts';
import type { TestFile } from './files.ts';
import type { TestSources } from './sources.ts';

export interface RunTestOptions {
  readonly target: string | ConnectionOptions;
  readonly sources: TestSources;
  /** Cancels the running statement when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** psql commands that only change the format of results, and the commands that protect a dump. */
const withoutEffect = new Set(
  'pset timing x t a f o encoding errverbose conninfo r restrict unrestrict'.split(' '),
);
const maxIncludes = 50;

class ScriptFailure extends Error {}

export async function runTestFile(file: TestFile, options: RunTestOptions): Promise<FileOutcome> {
  const session = await openTextSession(options.target, { applicationName: 'plinth test db' });
  const run = new TestRun(session, options.sources);
  const cancel = (): void => void session.cancel().catch(() => undefined);
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    options.signal?.throwIfAborted();
    await run.file(file.path, file.shownPath, 0);
    return { shownPath: file.shownPath, output: run.output, error: undefined };
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    return { shownPath: file.shownPath, output: run.output, error: error.message };
  } finally {
    options.signal?.removeEventListener('abort', cancel);
    session.end();
  }
}

class TestRun {
  readonly output: string[] = [];
  readonly #session: TextSession;
  readonly #sources: TestSources;
  readonly #variables = new Map<string, string>([['ON_ERROR_STOP', '1']]);
  #hasEnded = false;

  constructor(session: TextSession, sources: TestSources) {
    this.#session = session;
    this.#sources = sources;
  }

  async file(path: string, shownPath: string, depth: number): Promise<void> {
    if (depth > maxIncludes) throw new ScriptFailure(`${shownPath}: \\i includes itself`);
    for (const step of readScript(this.#sources.read(path))) {
      if (this.#hasEnded) return;
      const at = `${shownPath}:${step.line}`;
      if (step.kind === 'statement') await this.#statement(step.text, at);
      else await this.#command(step, { path, at, depth });
    }
  }

  async #statement(text: string, at: string): Promise<void> {
    if (isPackageManagerSetup(text)) return;
    for (const row of await this.#rows(text, at))
      this.output.push(
        ...row
          .map((cell) => cell ?? '')
          .join('|')
          .split('\n'),
      );
  }

  async #rows(text: string, at: string): Promise<readonly (readonly (string | null)[])[]> {
    return (await this.#results(text, at)).flatMap(({ rows }) => rows);
  }

  async #results(text: string, at: string) {
    try {
      return await this.#session.run(withVariables(text, this.#variables));
    } catch (error) {
      if (!(error instanceof PostgresError)) throw error;
      const hint = absentExtensionSentence(error) ?? error.hint;
      const lines = [
        `${at}: ${error.severity}:  ${error.message}`,
        ...(error.detail === undefined ? [] : [`DETAIL:  ${error.detail}`]),
        ...(hint === undefined ? [] : [`HINT:  ${hint}`]),
      ];
      if (/^(1|on|true|yes)$/i.test(this.#variables.get('ON_ERROR_STOP') ?? ''))
        throw new ScriptFailure(lines.join('\n'));
      this.output.push(...lines.map((line) => `# ${line}`));
      return [];
    }
  }

  async #command(
    { name, args, pending }: Extract<ScriptStep, { kind: 'command' }>,
    { path, at, depth }: { readonly path: string; readonly at: string; readonly depth: number },
  ): Promise<void> {
    if (withoutEffect.has(name)) return;
    const [first = ''] = args;
    switch (name) {
      case 'set':
        this.#variables.set(
          first,
          args
            .slice(1)
            .map((arg) => withVariables(arg, this.#variables))
            .join(''),
        );
        return;
      case 'unset':
        this.#variables.delete(first);
        return;
      case 'echo':
      case 'qecho':
        this.output.push(args.map((arg) => withVariables(arg, this.#variables)).join(' '));
        return;
      case 'q':
        this.#hasEnded = true;
        return;
      case 'g':
        await this.#statement(pending, at);
        return;
      case 'gset':
        await this.#keep(pending, first, at);
        return;
      case 'i':
      case 'ir':
      case 'include':
      case 'include_relative':
        return await this.#include(withVariables(first, this.#variables), { path, at, depth });
    }
    throw new ScriptFailure(`${at}: "plinth test db" doesn't support psql's command \\${name}.`);
  }

  /** Sets a psql variable for each column of the result's only row. */
  async #keep(text: string, prefix: string, at: string): Promise<void> {
    const [result] = await this.#results(text, at);
    const [row] = result?.rows ?? [];
    result?.columns.forEach(({ name }, index) => {
      const value = row?.[index];
      if (value === null || value === undefined) this.#variables.delete(prefix + name);
      else this.#variables.set(prefix + name, value);
    });
  }

  async #include(
    name: string,
    { path, at, depth }: { readonly path: string; readonly at: string; readonly depth: number },
  ): Promise<void> {
    const included = this.#sources.find(path, name);
    if (included !== undefined) return await this.file(included, name, depth + 1);
    throw new ScriptFailure(`${at}: ${name}: No such file or directory`);
  }
}
