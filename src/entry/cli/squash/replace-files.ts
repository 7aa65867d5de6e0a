/** Replaces several files with a single file. The original files can always be restored. */
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Writes the text to the last file and removes the other files. Keeps copies of all files in `backupDir`. If a step
 * fails, the original files are restored.
 */
export function replaceFiles(paths: readonly string[], text: string, backupDir: string): void {
  const last = paths.at(-1);
  if (last === undefined) return;
  mkdirSync(backupDir, { recursive: true });
  for (const path of paths) copyFileSync(path, join(backupDir, basename(path)));
  // The temporary file doesn't have the extension of migrations, so a leftover file is never run as a migration.
  const partial = join(dirname(last), `.${basename(last)}.new`);
  try {
    writeFileSync(partial, text, { flush: true });
    renameSync(partial, last);
    for (const path of paths.slice(0, -1)) rmSync(path);
  } catch (error) {
    rmSync(partial, { force: true });
    for (const path of paths) copyFileSync(join(backupDir, basename(path)), path);
    throw error;
  }
}
