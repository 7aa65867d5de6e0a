/** Replaces the files of several migrations with one file. The original files can always be restored. */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findDown } from './down.ts';
import type { MigrationFile } from './files.ts';

/**
 * Writes the text to the last of these files and removes the other files and all of their down scripts. Returns the path
 * of the folder with copies of the original files, relative to the project.
 */
export function squashFiles(projectDir: string, files: readonly MigrationFile[], text: string): string {
  const backup = backupFolder(projectDir, files.at(-1)?.version ?? '');
  replaceFiles(
    files.map(({ path }) => path),
    text,
    join(projectDir, backup),
  );
  // A down script undoes only one of the squashed migrations.
  for (const file of files) {
    const down = findDown(join(projectDir, 'supabase'), file);
    if (down === undefined) continue;
    const folder = join(projectDir, backup, 'down');
    mkdirSync(folder, { recursive: true });
    renameSync(down.path, join(folder, basename(down.path)));
  }
  return backup;
}

/** Returns the path to a new folder in `supabase/.temp`, which Git ignores. */
function backupFolder(projectDir: string, version: string): string {
  for (let count = 1; ; count++) {
    const folder = `supabase/.temp/squashed-${version}${count === 1 ? '' : `-${count}`}`;
    if (!existsSync(join(projectDir, folder))) return folder;
  }
}

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
