/**
 * Lists the files that a function can read while it runs: its modules, its static files, and the other files in its own
 * folder and in shared folders. Files are listed individually, because access to a folder would include files that are
 * added later, such as another function's `.env`. Package folders are the only folders that are listed as a whole.
 */
import { existsSync, globSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { FunctionSource } from './catalog.ts';
import { isAllowed, isInside } from './core/module-graph.ts';

export interface ReadableRules {
  readonly functionsDir: string;
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  /** The data folder of the server, which may be inside the project folder. */
  readonly dataDir: string;
}

/** The maximum number of files that are listed. Deno checks each file, so more files would slow down every start. */
export const maxReadableFiles = 1000;

/** Package folders contain thousands of files but no secrets. */
const packageFolders = new Set(['node_modules', 'vendor']);

/**
 * Returns the paths that the function can read.
 * @param modules The files in the function's module graph.
 */
export function readablePaths(
  source: FunctionSource,
  modules: readonly string[],
  rules: ReadableRules,
): { readonly paths: readonly string[]; readonly skipped: number } {
  if (source.root !== undefined) return { paths: [source.root], skipped: 0 };
  const { functionsDir } = rules;
  const paths = new Set(modules);
  const folder = dirname(source.entrypoint);
  const roots = isInside(folder, functionsDir) && relative(functionsDir, folder) !== '' ? [folder] : [];
  const found = [
    ...source.staticFiles.flatMap((glob) => matchesOf(glob)),
    ...[...roots, ...sharedFolders(functionsDir)].flatMap((root) => filesBelow(root)),
  ];
  let skipped = 0;
  for (const path of found) {
    if (paths.has(path) || !mayBeRead(path, rules)) continue;
    if (paths.size < maxReadableFiles) paths.add(path);
    else skipped += 1;
  }
  for (const root of new Set([folder, functionsDir]))
    for (const name of packageFolders) if (existsSync(join(root, name))) paths.add(join(root, name));
  return { paths: [...paths], skipped };
}

/**
 * Returns `_shared` and other folders whose name begins with an underscore. Such folders aren't functions, but several
 * functions can import files from them.
 */
function sharedFolders(functionsDir: string): string[] {
  if (!existsSync(functionsDir)) return [];
  return readdirSync(functionsDir)
    .filter((name) => name.startsWith('_'))
    .map((name) => join(functionsDir, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}

/**
 * Returns the files that match a pattern. Wildcards don't match hidden files. If a folder matches, all files in the
 * folder are returned.
 */
function matchesOf(glob: string): string[] {
  return globSync(glob).flatMap((path) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() ? filesBelow(path) : [path],
  );
}

/** Returns the files below a folder, except hidden files and packages. Symbolic links to folders aren't followed. */
function filesBelow(root: string): string[] {
  const files: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!packageFolders.has(entry.name)) folders.push(path);
      } else if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
      // This limit only stops the search in a huge folder tree. The calling function limits the total number of files.
      if (files.length > 10 * maxReadableFiles) return files;
    }
  }
  return files;
}

/**
 * Whether a function can read a file. Deno follows symbolic links, so a link's target is checked by the same rules as
 * imported data. Files that usually contain secrets (.env, .npmrc) can't be read.
 */
function mayBeRead(path: string, rules: ReadableRules): boolean {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    return false;
  }
  if (/^\.(?:env|npmrc)/.test(real.slice(real.lastIndexOf(sep) + 1))) return false;
  if (isInside(real, realpathSync(dirname(path)))) return !isInside(real, rules.dataDir);
  return isAllowed(real, false, { ...rules, staticRoots: [] });
}
