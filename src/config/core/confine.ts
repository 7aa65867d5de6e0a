/**
 * Files that settings name lie in the project's folder: what they hold is shown, sent or run, and settings are written by
 * more people than those who may read this machine. Links are followed first. Pure; the disk is handed in.
 */
import { isAbsolute, relative, resolve } from 'node:path';

export interface NamedFile {
  readonly key: string;
  /** Absolute; of globs the folder before the first wildcard. */
  readonly path: string;
  /** What is below it is given away as well. */
  readonly isFolder: boolean;
}

export interface Confinement {
  /** The project's folder and what `[files] allowed_folders` adds, absolute. */
  readonly folders: readonly string[];
  /** Keys, passwords and data: in the project's folder, but nobody's to name. */
  readonly dataFolder: string;
  /** Where a path leads, links followed as far as it exists. */
  readonly realPath: (path: string) => string;
}

/** What is wrong with it, as the end of a message; undefined: nothing. */
export function outsideFault(
  file: NamedFile,
  { folders, dataFolder, realPath }: Confinement,
): string | undefined {
  const real = realPath(file.path);
  const data = realPath(dataFolder);
  if (isWithin(data, real) || (file.isFolder && isWithin(real, data)))
    return `${file.path}is in the data folder, which settings can't refer to`;
  if (folders.some((folder) => isWithin(realPath(folder), real))) return undefined;
  return `${file.path}is outside the project folder. Move it there, or add its folder to allowed_folders under [files] in plinth.toml`;
}

/** The folder before the first wildcard; undefined for a pattern that leaves it again. */
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
