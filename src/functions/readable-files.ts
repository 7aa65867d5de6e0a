/**
 * What a function may read while it runs: its modules, its static files, and the data beside them, file by file. A folder would
 * cover whatever is put into it later, such as the `.env` of another function; packages alone are allowed by their folder.
 */
import { existsSync, globSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { FunctionSource } from './catalog.ts';
import { isAllowed, isInside } from './core/module-graph.ts';

export interface ReadableRules {
  readonly functionsDir: string;
  /** The folder that holds `supabase/`. */
  readonly projectDir: string;
  /** Where the server keeps its own data; may lie in the project. */
  readonly dataDir: string;
}

/** Files beyond these would make every start slow: Deno looks through all of them. */
export const mostReadableFiles = 1000;

/** Package folders, of which each has thousands of files and none a secret. */
const packageFolders = new Set(['node_modules', 'vendor']);

/** @param modules files of the function's module graph. */
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

/** `_shared` and whatever else begins like it: no function, imported by several. */
function sharedFolders(functionsDir: string): string[] {
  if (!existsSync(functionsDir)) return [];
  return readdirSync(functionsDir)
    .filter((name) => name.startsWith('_'))
    .map((name) => join(functionsDir, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}

/** Wildcards match no hidden file. A folder stands for the files in it. */
function matchesOf(glob: string): string[] {
  return globSync(glob).flatMap((path) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() ? filesBelow(path) : [path],
  );
}

/** Neither hidden files nor packages. Links to folders are not followed. */
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
      // Counted with what is found elsewhere; this only keeps a huge tree from being walked.
      if (files.length > 10 * mostReadableFiles) return files;
    }
  }
  return files;
}

/** Deno follows links, so what a link leads to is judged like data that a module imports. Secrets have hidden names. */
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
