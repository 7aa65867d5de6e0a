/** Writes and reads the files of one version of a function. */
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../../base/kernel/replace-file.ts';
import type { FunctionFile } from './types.ts';

/**
 * Writes the files to a new folder and syncs them to the disk.
 * @param files Files whose paths have already been checked. The folder is new, so it can't contain symbolic links.
 */
export async function writeFiles(folder: string, files: readonly FunctionFile[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  const folders = new Set([dirname(folder), folder]);
  for (const { path, content } of files) {
    const file = join(folder, path);
    for (let parent = dirname(file); parent !== folder; parent = dirname(parent)) folders.add(parent);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  for (const each of folders) syncFolder(each);
}

/** Reads all files of a version, sorted by path. */
export async function readFiles(folder: string): Promise<FunctionFile[]> {
  const files: FunctionFile[] = [];
  const folders = [''];
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push({ path, content: await readFile(join(folder, path)) });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}
