/**
 * Lists the files that a function can read at runtime: its modules, its static files, and the data files beside them.
 * Files are listed individually because a folder would also include files that are added later, such as another
 * function's `.env`. Only package folders are allowed as a whole.
 */
import { existsSync, globSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { FunctionSource } from './catalog.ts';
import { isAllowed, isInside } from './core/module-graph.ts';

export interface ReadableRules {
  readonly functionsDir: string;
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  /** The server's data folder, which may be inside the project. */
  readonly dataDir: string;
}

/** More files would slow down every start because Deno checks each file. */
export const mostReadableFiles = 1000;

/** Package folders contain thousands of files but no secrets. */
const packageFolders = new Set(['node_modules', 'vendor']);

/** @param modules The files in the function's module graph. */
export function readablePaths(
  source: FunctionSource,
  modules: readonly string[],
  rules: ReadableRules,
): { readonly paths: readonly string[]; readonly leftOut: number } {
  const { functionsDir } = rules;
  const paths = new Set(modules);
  const folder = dirname(source.entrypoint);
  const roots = isInside(folder, functionsDir) && relative(functionsDir, folder) !== '' ? [folder] : [];
  const found = [
    ...source.staticFiles.flatMap((glob) => matchesOf(glob)),
    ...[...roots, ...sharedFolders(functionsDir)].flatMap((root) => filesBelow(root)),
  ];
  let leftOut = 0;
  for (const path of found) {
    if (paths.has(path) || !mayBeRead(path, rules)) continue;
    if (paths.size < mostReadableFiles) paths.add(path);
    else leftOut += 1;
  }
  for (const root of new Set([folder, functionsDir]))
    for (const name of packageFolders) if (existsSync(join(root, name))) paths.add(join(root, name));
  return { paths: [...paths], leftOut };
}

/**
 * Returns `_shared` and other folders whose names start with an underscore. They aren't functions but are imported by
 * several functions.
 */
function sharedFolders(functionsDir: string): string[] {
  if (!existsSync(functionsDir)) return [];
  return readdirSync(functionsDir)
    .filter((name) => name.startsWith('_'))
    .map((name) => join(functionsDir, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}

/** Wildcards don't match hidden files. A folder matches the files in it. */
function matchesOf(glob: string): string[] {
  return globSync(glob).flatMap((path) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() ? filesBelow(path) : [path],
  );
}

/** Skips hidden files and packages, and doesn't follow symbolic links to folders. */
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
      // The caller counts the files in all folders. This limit only prevents walking a huge tree.
      if (files.length > 10 * mostReadableFiles) return files;
    }
  }
  return files;
}

/**
 * Deno follows symbolic links, so a link's target is checked like imported data. Files that usually contain secrets
 * (.env, .npmrc) are never readable.
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
