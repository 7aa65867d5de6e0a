/**
 * What a function's modules are, from `deno info --json` (version 1). Deno asks no permission for what a module imports by a
 * name that stands in it, so a function could read any file of the machine as JSON or text. Before it runs, this decides
 * whether all of its imports are ones that it may have.
 */
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** As far as it is read here. */
export interface DenoInfo {
  readonly modules?: readonly {
    readonly specifier: string;
    /** `esm`, `asserted` (JSON), `external` (text, bytes, and files of a node_modules folder), `npm`, `node`. */
    readonly kind?: string;
    readonly local?: string;
    readonly mediaType?: string;
    readonly error?: string;
  }[];
}

export interface ModuleGraph {
  /** Files of the project that it consists of, by absolute path. */
  readonly files: readonly string[];
  /** Files that it names and may not have. */
  readonly refused: readonly string[];
}

export interface GraphRules {
  /** The folder that holds `supabase/`. */
  readonly projectDir: string;
  /** Where the server keeps its own data; may lie in the project. */
  readonly dataDir: string;
  /** Absolute; what `static_files` names, without wildcards. */
  readonly staticRoots: readonly string[];
  /** Undoes symbolic links; a path that is not there stays as it is. */
  readonly realPath: (path: string) => string;
}

const code = new Set([
  'JavaScript',
  'Mjs',
  'Cjs',
  'JSX',
  'TypeScript',
  'Mts',
  'Cts',
  'Dts',
  'Dmts',
  'Dcts',
  'TSX',
  'Wasm',
]);

/** Source code may lie anywhere, as in a repository of many packages; data only where the project keeps what it shows. */
export function judgeGraph(info: DenoInfo, rules: GraphRules): ModuleGraph {
  const files: string[] = [];
  const refused: string[] = [];
  for (const { specifier, kind, local, mediaType, error } of info.modules ?? []) {
    if (!specifier.startsWith('file:')) continue;
    const path = local ?? fileURLToPath(specifier);
    // Packages keep no secrets, and are often links to elsewhere.
    if (kind === 'external' && path.split(sep).includes('node_modules')) continue;
    files.push(path);
    // Nothing was read; running it tells what is wrong.
    if (error !== undefined && local === undefined) continue;
    if (!isAllowed(rules.realPath(path), kind === 'esm' && code.has(mediaType ?? ''), rules))
      refused.push(path);
  }
  return { files, refused };
}

/** @param path without symbolic links. */
export function isAllowed(
  path: string,
  isCode: boolean,
  { projectDir, dataDir, staticRoots }: Omit<GraphRules, 'realPath'>,
): boolean {
  if (isInside(path, dataDir)) return false;
  if (isCode || staticRoots.some((root) => isInside(path, root))) return true;
  const below = relative(projectDir, path);
  // Hidden files are where people keep what is nobody's business: .env, .git, .npmrc.
  return isInside(path, projectDir) && !below.split(sep).some((part) => part.startsWith('.'));
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way));
}
