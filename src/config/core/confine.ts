/**
 * Confines files in settings to the project folder. Their content is shown, sent or run, and users who can edit
 * settings can't always read this machine's files. Symbolic links are resolved first. Pure: the caller reads the disk.
 */
import { isAbsolute, relative, resolve } from 'node:path';

export interface NamedFile {
  readonly key: string;
  /** An absolute path. For a glob, the folder before the first wildcard. */
  readonly path: string;
  /** Whether the setting also exposes everything below the path. */
  readonly isFolder: boolean;
}

export interface Confinement {
  /** The project folder and the folders in `[files] allowed_folders`, as absolute paths. */
  readonly folders: readonly string[];
  /** The data folder with keys, passwords and data. Settings can't refer to it, although it's in the project folder. */
  readonly dataFolder: string;
  /** Resolves symbolic links in the part of the path that exists. */
  readonly realPath: (path: string) => string;
}

/** Returns the end of an error message, or undefined if the file is allowed. */
export function outsideFault(
  file: NamedFile,
  { folders, dataFolder, realPath }: Confinement,
): string | undefined {
  const real = realPath(file.path);
  const data = realPath(dataFolder);
  if (isWithin(data, real) || (file.isFolder && isWithin(real, data)))
    return `${file.path} is in the data folder, which settings can't refer to`;
  if (folders.some((folder) => isWithin(realPath(folder), real))) return undefined;
  return `${file.path} is outside the project folder. Move it there, or add its folder to allowed_folders under [files] in plinth.toml`;
}

/** Returns the folder before the first wildcard, or undefined if the rest of the pattern contains `..`. */
export function globFolder(base: string, glob: string): string | undefined {
  const parts = glob.split('/');
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  if (wild < 0) return resolve(base, glob);
  if (parts.slice(wild).some((part) => part.split(/[{},]/).includes('..'))) return undefined;
  return resolve(base, parts.slice(0, wild).join('/') || (glob.startsWith('/') ? '/' : '.'));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way)) || /^\.\.[^/\\]/.test(way);
}
