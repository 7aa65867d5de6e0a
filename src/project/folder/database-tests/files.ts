/** Finds the test files in supabase/tests, or in the paths that the command lists. */
import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ProjectError } from '../errors.ts';

export interface TestFile {
  readonly path: string;
  /** The path relative to the project folder, with slashes. */
  readonly shownPath: string;
}

/**
 * Returns the files sorted by path, as in pg_prove.
 * @throws {ProjectError} `tests_path` if a listed path doesn't exist
 */
export function findTestFiles(projectDir: string, named: readonly string[], cwd: string): TestFile[] {
  const roots =
    named.length > 0
      ? named.map((path) => resolve(cwd, path))
      : [join(projectDir, 'supabase', 'tests')].filter((path) => statSync(path, { throwIfNoEntry: false }));
  const paths = roots.flatMap((root) => {
    const found = statSync(root, { throwIfNoEntry: false });
    if (found === undefined) throw new ProjectError('tests_path', { path: root });
    if (!found.isDirectory()) return [root];
    return readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(sql|pg)$/.test(name))
      .map((name) => join(root, name))
      .filter((path) => statSync(path).isFile())
      .sort();
  });
  return [...new Set(paths)].map((path) => ({
    path,
    shownPath: relative(projectDir, path).replaceAll('\\', '/'),
  }));
}
