/** Finds the files of a function's source code. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { FunctionSource } from './catalog.ts';

/**
 * The maximum number of files that are read from a folder. A folder with more files must contain more than the source
 * code of one function.
 */
const maxFiles = 500;
const skipped = new Set(['node_modules', 'vendor']);

/**
 * Returns the modification time of the newest file in the entrypoint's folder and its subfolders, in milliseconds since
 * the epoch.
 */
export function lastChangeOf(entrypoint: string): number {
  let newest = timeOf(entrypoint);
  let left = maxFiles;
  const folders = [dirname(entrypoint)];
  for (let folder = folders.pop(); folder !== undefined && left > 0; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      left -= 1;
      if (left < 0) break;
      if (entry.name.startsWith('.') || skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else newest = Math.max(newest, timeOf(path));
    }
  }
  return newest;
}

/** Returns the modification time of a file, or 0 if the file doesn't exist. */
const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

export interface SourceFile {
  /** The path relative to the function's folder, with `/` as the separator. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly isEntrypoint: boolean;
}

export interface SourceText {
  /** The text of the file. The text is empty for a binary file. */
  readonly text: string;
  readonly isText: boolean;
  /** Whether `text` contains only the beginning of the file. */
  readonly isCut: boolean;
  /** A hash of the file's bytes, by which a later change is noticed. Null if the text isn't the whole file. */
  readonly revision: string | null;
}

/** Returns the revision of a file with the given bytes. */
const revisionOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const maxShownBytes = 256 * 1024;

/** The folder that contains the files of a function. */
const folderOf = ({ root, entrypoint }: FunctionSource): string => root ?? dirname(entrypoint);

/**
 * Whether the folder contains only this function. If the entrypoint isn't below the functions folder, its folder can
 * contain other project files, such as signing keys and settings.
 */
const hasOwnFolder = (source: FunctionSource, functionsDir: string): boolean =>
  source.root !== undefined || dirname(source.entrypoint).startsWith(`${resolve(functionsDir)}${sep}`);

/**
 * Returns the files of a function that are currently on disk, sorted by path. Hidden files are excluded because `.env`
 * contains secrets. Symbolic links are excluded because they may lead to other folders.
 */
export function listSourceFiles(source: FunctionSource, functionsDir: string): readonly SourceFile[] {
  const base = folderOf(source);
  if (!hasOwnFolder(source, functionsDir)) {
    const size = statSync(source.entrypoint, { throwIfNoEntry: false })?.size;
    return size === undefined
      ? []
      : [{ path: basename(source.entrypoint), sizeBytes: size, isEntrypoint: true }];
  }
  const files: SourceFile[] = [];
  const folders = [base];
  for (let folder = folders.pop(); folder !== undefined && files.length < maxFiles; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || files.length >= maxFiles) continue;
      files.push({
        path: relative(base, path).split(sep).join('/'),
        sizeBytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0,
        isEntrypoint: path === source.entrypoint,
      });
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Reads a file that {@link listSourceFiles} returned. Returns undefined for all other paths. */
export async function readSourceFile(
  source: FunctionSource,
  functionsDir: string,
  path: string,
): Promise<SourceText | undefined> {
  const file = listSourceFiles(source, functionsDir).find((each) => each.path === path);
  if (file === undefined) return undefined;
  const handle = await open(join(folderOf(source), ...path.split('/')));
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxShownBytes), 0, maxShownBytes, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const isText = !bytes.includes(0);
    const isCut = file.sizeBytes > bytesRead;
    const text = isText ? bytes.toString() : '';
    // Bytes that aren't UTF-8 would be replaced when the text is saved.
    const isWhole = !isCut && isText && Buffer.from(text).equals(bytes);
    return { text, isText, isCut, revision: isWhole ? revisionOf(bytes) : null };
  } finally {
    await handle.close();
  }
}
