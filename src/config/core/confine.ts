/**
 * Checks that files in settings are inside the project folder. The content of such files is shown, sent or run, and
 * users who can change settings aren't always allowed to read files on this machine. Symbolic links are resolved first.
 * The caller reads the file system.
 */
import { isAbsolute, relative, resolve } from 'node:path';

export interface NamedFile {
  readonly key: string;
  /** The absolute path. For a glob pattern, the path of the folder before the first wildcard. */
  readonly path: string;
  /** Whether the setting also exposes all files under the path. */
  readonly isFolder: boolean;
}

export interface Confinement {
  /** The absolute paths of the project folder and of the folders in `[files] allowed_folders`. */
  readonly folders: readonly string[];
  /**
   * The data folder, which contains keys, passwords and data. Settings can't refer to files in it, although it is
   * inside the project folder.
   */
  readonly dataFolder: string;
  /** Resolves symbolic links in the part of the path that exists. */
  readonly realPath: (path: string) => string;
}

/** Returns the end of an error message. Returns undefined if the setting is allowed to refer to the file. */
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

/** Returns the folder before the first wildcard. Returns undefined if the rest of the pattern contains `..`. */
export function globFolder(base: string, glob: string): string | undefined {
  const parts = glob.split('/');
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  if (wild < 0) return resolve(base, glob);
  if (parts.slice(wild).some((part) => part.split(/[{},]/).includes('..'))) return undefined;
  return resolve(base, parts.slice(0, wild).join('/') || (glob.startsWith('/') ? '/' : '.'));
}

function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === '' ||
    (!relativePath.startsWith('..') && !isAbsolute(relativePath)) ||
    /^\.\.[^/\\]/.test(relativePath)
  );
}
