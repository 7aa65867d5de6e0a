/** The project's pgTAP suites: what pg_prove does with psql, with the session of one file for each file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTextSession } from '../../database/index.ts';
import { isSelfContained, readScript } from './core/psql-script.ts';
import { type FileOutcome, fileLines, isPassed, summaryLines } from './core/report.ts';
import { findTestFiles, type TestFile } from './files.ts';
import { type RunTestOptions, runTestFile } from './run-file.ts';

export interface TestDatabaseOptions {
  /** Signs in as the role that runs the tests. */
  readonly url: string;
  readonly projectDir: string;
  /** Files and folders; none: supabase/tests. */
  readonly paths: readonly string[];
  readonly cwd: string;
  /** Prints all that the files print. */
  readonly verbose: boolean;
  readonly print: (line: string) => void;
}

/** Sessions of files that disturb no other. */
const parallelFiles = 4;

/**
 * True: all passed. Creates pgTAP for the run where the project doesn't have it.
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
  await withPgtap(url, print, async () => {
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

/** Neighbors that run at the same time; a file that leaves something behind has its place in the order. */
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

/** What failed beside others runs again alone, since locks of the others may have been the reason. */
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

async function withPgtap(
  url: string,
  print: (line: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  // Something that a test has committed uses it.
  const sayThatItStays = (error: Error) => print(`pgTAP stays in the database: ${error.message}`);
  const run = async (text: string) => {
    const session = await openTextSession(url, { applicationName: 'plinth test db' });
    try {
      return await session.run(text);
    } finally {
      session.end();
    }
  };
  const [found] = await run(`select from pg_catalog.pg_extension where extname = 'pgtap'`);
  const isMine = found?.rows.length === 0;
  if (isMine) await run('create extension if not exists pgtap with schema extensions');
  try {
    await work();
  } finally {
    if (isMine) await run('drop extension if exists pgtap').catch(sayThatItStays);
  }
}
