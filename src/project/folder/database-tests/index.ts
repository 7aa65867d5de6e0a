/** Runs the project's pgTAP tests as pg_prove runs them with psql. Each file runs in a separate session. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { openTextSession, parseConnectionString } from '../../../platform/database/index.ts';
import { usesPackageManager } from '../core/package-manager.ts';
import { ProjectError } from '../errors.ts';
import { isSelfContained, readScript } from './core/psql-script.ts';
import { type FileOutcome, fileLines, isPassed, summaryLines } from './core/report.ts';
import { findTestFiles, type TestFile } from './files.ts';
import { type RunTestOptions, runTestFile } from './run-file.ts';
import { collectTest, folderSources, isRolledBack, type SentTest, sentSources } from './sources.ts';

export type { FileOutcome } from './core/report.ts';
export type { SentTest } from './sources.ts';

interface TestFolder {
  readonly projectDir: string;
  /** Files and folders. If the list is empty, the files in supabase/tests are used. */
  readonly paths: readonly string[];
  readonly cwd: string;
  /** Whether to print the complete output of all files. */
  readonly verbose: boolean;
  readonly print: (line: string) => void;
}

export interface TestDatabaseOptions extends TestFolder {
  /** The connection URL, including the role that runs the tests. */
  readonly url: string;
}

/** The maximum number of files that run concurrently. Each of these files rolls back its changes. */
const parallelFiles = 4;

/**
 * Runs the tests. Returns true if all files passed. If the project doesn't have pgTAP, creates the extension for the
 * duration of the run. If a file refers to database.dev's package manager, also creates the extension for it.
 *
 * @throws {ProjectError} `tests_path`
 */
export async function testDatabase(options: TestDatabaseOptions): Promise<boolean> {
  const { url } = options;
  return await testFolder(options, async (files, sources, report) => {
    const extensions = extensionsOf(files.map(({ path }) => readFileSync(path, 'utf8')));
    await withExtensions(extensions, url, options.print, async () => {
      for (const group of groupsOf(files))
        for (const outcome of await runGroup(group, { target: url, sources })) report(outcome);
    });
  });
}

/**
 * Runs the tests on another machine, one file per call of `run`. Returns true if all files passed.
 * @throws {ProjectError} `tests_path`
 */
export const testElsewhere = (
  options: TestFolder,
  run: (test: SentTest) => Promise<FileOutcome>,
): Promise<boolean> =>
  testFolder(options, async (files, sources, report) => {
    for (const file of files) report(await run(collectTest(file, sources)));
  });

/** Finds the tests, runs `work` with them, and prints the outcomes. Returns true if all files passed. */
async function testFolder(
  { projectDir, paths, cwd, verbose, print }: TestFolder,
  work: (
    files: readonly TestFile[],
    sources: RunTestOptions['sources'],
    report: (outcome: FileOutcome) => void,
  ) => Promise<void>,
): Promise<boolean> {
  const files = findTestFiles(projectDir, paths, cwd);
  if (files.length === 0) {
    print('No tests found in supabase/tests. To create one, run "plinth test new NAME".');
    return true;
  }
  const started = performance.now();
  const longest = Math.max(...files.map(({ shownPath }) => shownPath.length));
  const outcomes: FileOutcome[] = [];
  const supabaseDir = join(projectDir, 'supabase');
  const sources = folderSources([join(supabaseDir, 'tests'), supabaseDir, projectDir, cwd]);
  await work(files, sources, (outcome) => {
    outcomes.push(outcome);
    fileLines(outcome, longest, verbose).forEach(print);
  });
  summaryLines(outcomes, (performance.now() - started) / 1000).forEach(print);
  return outcomes.every(isPassed);
}

const extensionsOf = (texts: readonly string[]): string[] => [
  'pgtap',
  ...(texts.some(usesPackageManager) ? ['supabase-dbdev'] : []),
];

/** How long a test from another machine waits for a lock, because other statements wait behind it. */
const lockTimeoutMs = 5_000;
const statementTimeoutMs = 60_000;

/**
 * Runs a test file that another machine has sent, and rolls its changes back. Like {@link testDatabase}, creates the
 * extensions that the database doesn't have for the duration of the test.
 *
 * @throws {ProjectError} `tests_not_rolled_back`
 */
export async function runSentTest(url: string, test: SentTest, signal: AbortSignal): Promise<FileOutcome> {
  const { shownPath, texts } = test;
  const sources = sentSources(test);
  const file: TestFile = { path: '0', shownPath };
  if (!isRolledBack(sources, file.path)) throw new ProjectError('tests_not_rolled_back', { file: shownPath });
  const notes: string[] = [];
  const parameters = { lock_timeout: String(lockTimeoutMs), statement_timeout: String(statementTimeoutMs) };
  const target = { ...parseConnectionString(url), parameters };
  const note = (line: string): void => void notes.push(`# ${line}`);
  let outcome: FileOutcome | undefined;
  await withExtensions(extensionsOf(texts), url, note, async () => {
    outcome = await runTestFile(file, { target, sources, signal });
  });
  if (outcome === undefined) throw new Error('the test did not run');
  return { ...outcome, output: [...outcome.output, ...notes] };
}

/**
 * Groups adjacent files that roll back their changes, because they can run concurrently. All other files run alone. The
 * order is preserved.
 */
function groupsOf(files: readonly TestFile[]): TestFile[][] {
  const groups: TestFile[][] = [];
  let isOpen = false;
  for (const file of files) {
    const joins = isSelfContained(readScript(readFileSync(file.path, 'utf8')));
    const last = groups.at(-1);
    if (joins && isOpen && last !== undefined && last.length < parallelFiles) last.push(file);
    else groups.push([file]);
    isOpen = joins;
  }
  return groups;
}

/**
 * Runs the files concurrently. If a file fails, it runs again alone, because another file's locks may have caused the
 * failure.
 */
async function runGroup(files: readonly TestFile[], options: RunTestOptions): Promise<FileOutcome[]> {
  const outcomes = await Promise.all(files.map((file) => runTestFile(file, options)));
  if (files.length > 1) {
    for (const [index, file] of files.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined && !isPassed(outcome)) outcomes[index] = await runTestFile(file, options);
    }
  }
  return outcomes;
}

/** Creates the extensions that the database doesn't have, runs `work`, and then drops the created extensions. */
async function withExtensions(
  names: readonly string[],
  url: string,
  print: (line: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  const run = async (text: string) => {
    const session = await openTextSession(url, { applicationName: 'plinth test db' });
    try {
      return await session.run(text);
    } finally {
      session.end();
    }
  };
  const [found] = await run('select extname from pg_catalog.pg_extension');
  const missing = names.filter((name) => found?.rows.every(([present]) => present !== name));
  for (const name of missing)
    await run(`create extension if not exists ${quoteIdentifier(name)} with schema extensions`);
  try {
    await work();
  } finally {
    for (const name of missing) {
      // The extension can't be dropped if a test has committed an object that depends on it.
      const explain = (error: Error) =>
        print(`The extension ${name} stays in the database: ${error.message}`);
      await run(`drop extension if exists ${quoteIdentifier(name)}`).catch(explain);
    }
  }
}
