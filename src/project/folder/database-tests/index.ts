/** Runs the project's pgTAP tests as pg_prove runs them with psql. Each file runs in a separate session. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { openTextSession } from '../../../platform/database/index.ts';
import { isSelfContained, readScript } from './core/psql-script.ts';
import { type FileOutcome, fileLines, isPassed, summaryLines } from './core/report.ts';
import { findTestFiles, type TestFile, usesPackageManager } from './files.ts';
import { type RunTestOptions, runTestFile } from './run-file.ts';

export interface TestDatabaseOptions {
  /** The connection URL, including the role that runs the tests. */
  readonly url: string;
  readonly projectDir: string;
  /** Files and folders. If the list is empty, the files in supabase/tests are used. */
  readonly paths: readonly string[];
  readonly cwd: string;
  /** Whether to print the complete output of all files. */
  readonly verbose: boolean;
  readonly print: (line: string) => void;
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
  const { url, projectDir, paths, cwd, verbose, print } = options;
  const files = findTestFiles(projectDir, paths, cwd);
  if (files.length === 0) {
    print('No tests found in supabase/tests. To create one, run "plinth test new NAME".');
    return true;
  }
  const started = performance.now();
  const longest = Math.max(...files.map(({ shownPath }) => shownPath.length));
  const outcomes: FileOutcome[] = [];
  const isPackaged = files.some(({ path }) => usesPackageManager(readFileSync(path, 'utf8')));
  const extensions = ['pgtap', ...(isPackaged ? ['supabase-dbdev'] : [])];
  await withExtensions(extensions, url, print, async () => {
    const supabaseDir = join(projectDir, 'supabase');
    const runOptions = { url, includeDirs: [join(supabaseDir, 'tests'), supabaseDir, projectDir, cwd] };
    for (const group of groupsOf(files)) {
      for (const outcome of await runGroup(group, runOptions)) {
        outcomes.push(outcome);
        fileLines(outcome, longest, verbose).forEach(print);
      }
    }
  });
  summaryLines(outcomes, (performance.now() - started) / 1000).forEach(print);
  return outcomes.every(isPassed);
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
