/**
 * Checks that the files in settings are inside the project folder. Plinth displays, sends or runs the content of these
 * files, but users who can change settings may not be allowed to read arbitrary files on this machine. Symbolic links
 * are resolved first. The caller provides the file system functions.
 */
import { resolve } from 'node:path';
import { isWithin } from '../../../base/kernel/real-path.ts';

export interface NamedFile {
  readonly key: string;
  /** The absolute path. For a glob pattern, the folder before the first wildcard. */
  readonly path: string;
  /** Whether the setting makes all files in this folder available. */
  readonly isFolder: boolean;
}

export interface Confinement {
  /** The absolute paths to the project folder and to the folders in `[files] allowed_folders`. */
  readonly folders: readonly string[];
  /**
   * The data folder, which contains keys, passwords and data. Settings can't refer to files in the data folder, even if
   * the data folder is inside the project folder.
   */
  readonly dataFolder: string;
  /** Returns the path with all symbolic links resolved. The path may end with names that don't exist. */
  readonly realPath: (path: string) => string;
}

/** Returns the reason why the setting may not refer to the file, or undefined if the file is allowed. */
export function outsideFault(
  file: NamedFile,
  { folders, dataFolder, realPath }: Confinement,
): string | undefined {
  const real = realPath(file.path);
  const data = realPath(dataFolder);
  if (isWithin(data, real) || (file.isFolder && isWithin(real, data)))
    return `${file.path} is in the data folder, which settings can't refer to`;
  if (folders.some((folder) => isWithin(realPath(folder), real))) return undefined;
  return `${file.path} is outside the project folder. Move the file into the project folder, or add its folder to allowed_folders under [files] in plinth.toml`;
}

/** Returns the folder before the pattern's first wildcard, or undefined if the rest of the pattern contains `..`. */
export function globFolder(base: string, glob: string): string | undefined {
  const parts = glob.split('/');
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  if (wild < 0) return resolve(base, glob);
  if (parts.slice(wild).some((part) => part.split(/[{},]/).includes('..'))) return undefined;
  return resolve(base, parts.slice(0, wild).join('/') || (glob.startsWith('/') ? '/' : '.'));
}
