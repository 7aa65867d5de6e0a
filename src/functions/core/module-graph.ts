/**
 * Evaluates a function's module graph from `deno info --json` (version 1). Deno doesn't check permissions for static
 * imports, so a function could import any file on the machine as JSON or text. This check runs before the function and
 * verifies that every import is allowed.
 */
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The fields that this module reads. */
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
  /** Absolute paths of the project files in the graph. */
  readonly files: readonly string[];
  /** Files that the graph imports without permission. */
  readonly refused: readonly string[];
}

export interface GraphRules {
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  /** The server's data folder, which may be inside the project. */
  readonly dataDir: string;
  /** Absolute paths of the `static_files` patterns, up to the first wildcard. */
  readonly staticRoots: readonly string[];
  /** Resolves symbolic links. Returns a nonexistent path unchanged. */
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

/**
 * Source code may be anywhere, for example in a monorepo. Imported data must be in a folder that the project exposes.
 */
export function checkGraph(info: DenoInfo, rules: GraphRules): ModuleGraph {
  const files: string[] = [];
  const refused: string[] = [];
  for (const { specifier, kind, local, mediaType, error } of info.modules ?? []) {
    if (!specifier.startsWith('file:')) continue;
    const path = local ?? fileURLToPath(specifier);
    // Packages don't contain secrets and are often symbolic links to other folders.
    if (kind === 'external' && path.split(sep).includes('node_modules')) continue;
    files.push(path);
    // Nothing was read. Running the function reports the error.
    if (error !== undefined && local === undefined) continue;
    if (!isAllowed(rules.realPath(path), kind === 'esm' && code.has(mediaType ?? ''), rules))
      refused.push(path);
  }
  return { files, refused };
}

/** @param path A path without symbolic links. */
export function isAllowed(
  path: string,
  isCode: boolean,
  { projectDir, dataDir, staticRoots }: Omit<GraphRules, 'realPath'>,
): boolean {
  if (isInside(path, dataDir)) return false;
  if (isCode || staticRoots.some((root) => isInside(path, root))) return true;
  const below = relative(projectDir, path);
  // Hidden files often contain secrets, such as .env, .git and .npmrc.
  return isInside(path, projectDir) && !below.split(sep).some((part) => part.startsWith('.'));
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way));
}
