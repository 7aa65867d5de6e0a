/**
 * The texts of a test file and of the files that it includes with `\i`. They are read from the project folder, or sent
 * to a server.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isSelfContained, readScript, type ScriptStep } from './core/psql-script.ts';
import type { TestFile } from './files.ts';

export interface TestSources {
  read(path: string): string;
  /** Returns the path of the file that `\i name` in the file `from` includes. Undefined if the file doesn't exist. */
  find(from: string, name: string): string | undefined;
}

/** @param includeDirs the folders in which `\i` searches, in order, for a file that isn't in the test's folder */
export const folderSources = (includeDirs: readonly string[]): TestSources => ({
  read: (path) => readFileSync(path, 'utf8'),
  find(from, name) {
    return [dirname(from), ...includeDirs].map((dir) => resolve(dir, name)).find(isReadable);
  },
});

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

/** A test file with the files that it includes. The first text is the test file's. */
export interface SentTest {
  readonly shownPath: string;
  readonly texts: readonly string[];
  /** The texts that `\i name` in other texts includes, by their indexes. */
  readonly includes: readonly { readonly from: number; readonly name: string; readonly to: number }[];
}

/** Collects the texts of a test file. Includes whose name contains a variable are unknown before the test runs. */
export function collectTest({ path, shownPath }: TestFile, sources: TestSources): SentTest {
  const indexes = new Map<string, number>();
  const texts: string[] = [];
  const includes: { from: number; name: string; to: number }[] = [];
  const add = (file: string): number => {
    const known = indexes.get(file);
    if (known !== undefined) return known;
    const from = texts.length;
    indexes.set(file, from);
    const text = sources.read(file);
    texts.push(text);
    for (const name of readScript(text).flatMap(includedName)) {
      const found = sources.find(file, name);
      if (found !== undefined) includes.push({ from, name, to: add(found) });
    }
    return from;
  };
  add(path);
  return { shownPath, texts, includes };
}

/** Returns the sources of a test that another machine has sent. The paths are the indexes of the texts. */
export const sentSources = ({ texts, includes }: SentTest): TestSources => ({
  read: (path) => texts[Number(path)] ?? '',
  find(from, name) {
    return includes.find((each) => String(each.from) === from && each.name === name)?.to.toString();
  },
});

const includeCommand = /^i(r|nclude\w*)?$/;

const includedName = (step: ScriptStep): string[] =>
  step.kind === 'command' && includeCommand.test(step.name) ? step.args.slice(0, 1) : [];

/** The maximum number of steps and included files of a test. */
const maxSteps = 100_000;

/**
 * Whether the test with the files that it includes is a single transaction that is rolled back. Protects from a test
 * that changes the database by mistake. A test can still hide a COMMIT, for example in a variable.
 */
export function isRolledBack(sources: TestSources, path: string): boolean {
  const scripts = new Map<string, readonly ScriptStep[]>();
  const scriptOf = (file: string): readonly ScriptStep[] => {
    const script = scripts.get(file) ?? readScript(sources.read(file));
    scripts.set(file, script);
    return script;
  };
  const steps: ScriptStep[] = [];
  let rest = maxSteps;
  const add = (file: string, parents: readonly string[]): void => {
    for (const step of scriptOf(file)) {
      if (rest-- <= 0) return;
      const [name] = includedName(step);
      const found = name === undefined ? undefined : sources.find(file, name);
      if (found !== undefined && !parents.includes(found)) add(found, [...parents, found]);
      else if (step.kind === 'command' && step.pending !== '') steps.push(...readScript(step.pending));
      else steps.push(step);
    }
  };
  add(path, [path]);
  return rest > 0 && isSelfContained(steps);
}
