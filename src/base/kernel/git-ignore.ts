/** Keeps private files out of Git. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/** Whether the folder or one of its parent folders is a Git repository. */
export const isInGit = (folder: string): boolean =>
  existsSync(join(folder, '.git')) || (dirname(folder) !== folder && isInGit(dirname(folder)));

/** Adds the names to the folder's `.gitignore`, except names that this file already contains. */
export function ignoreFiles(folder: string, names: readonly string[]): void {
  const path = join(folder, '.gitignore');
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const missing = names.filter((name) => !before.split(/\r?\n/).includes(name));
  if (missing.length === 0) return;
  const separator = before === '' || before.endsWith('\n') ? '' : '\n';
  replaceFile(path, `${before}${separator}${missing.join('\n')}\n`, 0o644);
}
