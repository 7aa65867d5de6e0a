/** Writes the files of a function to `supabase/functions`, and reads them. */
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin, realPathOf, requireWithin } from '../../base/kernel/real-path.ts';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { ProjectError } from './errors.ts';

export interface FunctionFolderFile {
  /** The path with `/` as the separator. */
  readonly path: string;
  readonly content: Buffer;
}

const maxReadBytes = 20 * 1024 * 1024;
const maxReadFiles = 1000;

/**
 * Writes the files of a function. Files in the function's folder are replaced. Other functions can depend on files
 * outside this folder, such as `_shared/cors.ts`, so these files are only created. Hidden files are rejected, because
 * other programs run commands that such files contain (`.git/config`, `.envrc`). Checks all files before the first file
 * is written.
 *
 * @param files Files with paths relative to `functionsDir` that don't contain `..`
 * @throws {ProjectError} if a file can't be written, or {OutsideFolders}
 */
export function saveFunctionFiles(
  functionsDir: string,
  slug: string,
  files: readonly FunctionFolderFile[],
): void {
  const targets = files.map(({ path, content }) => ({ path, content, target: join(functionsDir, path) }));
  for (const { path, content, target } of targets) {
    if (path.split('/').some((name) => name.startsWith('.')))
      throw new ProjectError('function_file', { path, reason: 'hidden files must be created manually' });
    requireWithin([functionsDir], target);
    // A link in the folder must not lead to the files of another function.
    const isOwn = path.startsWith(`${slug}/`);
    if (isOwn && !isWithin(realPathOf(join(functionsDir, slug)), realPathOf(target)))
      throw new ProjectError('function_file', { path, reason: 'a symbolic link leads to another folder' });
    const existing = statSync(target, { throwIfNoEntry: false });
    if (existing === undefined) continue;
    if (!existing.isFile()) throw new ProjectError('function_file', { path, reason: "it isn't a file" });
    if (!isOwn && !readFileSync(target).equals(content))
      throw new ProjectError('function_file', {
        path,
        reason: 'it has other contents, and other functions can depend on it',
      });
  }
  for (const { target } of targets) mkdirSync(dirname(target), { recursive: true });
  for (const { target, content } of targets) replaceFile(target, content, 0o644);
}

/**
 * Reads the files in a function's folder, sorted by path. The paths are relative to this folder. Hidden files, which can
 * contain secrets, packages and symbolic links are omitted. Returns undefined if `index.ts` is missing.
 *
 * @throws {ProjectError} if the folder is too large
 */
export function readFunctionFiles(folder: string): readonly FunctionFolderFile[] | undefined {
  const files: FunctionFolderFile[] = [];
  const folders = [''];
  let bytes = 0;
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      bytes += statSync(join(folder, path)).size;
      if (files.length === maxReadFiles || bytes > maxReadBytes)
        throw new ProjectError('function_folder', { files: maxReadFiles, mib: maxReadBytes / 2 ** 20 });
      files.push({ path, content: readFileSync(join(folder, path)) });
    }
  }
  if (!files.some(({ path }) => path === 'index.ts')) return undefined;
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
