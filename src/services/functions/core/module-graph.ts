/**
 * Evaluates a function's module graph, which is the output of `deno info --json` (version 1). Deno doesn't check
 * permissions for static imports, so a function could import any file on the machine as JSON or text. Before a function
 * runs, this module checks whether all of its imports are allowed.
 */
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The fields of Deno's output that this module uses. */
export interface DenoInfo {
  readonly modules?: readonly {
    readonly specifier: string;
    /**
     * One of `esm`, `asserted` (JSON), `external` (text, bytes, and files in a node_modules folder), `npm` and `node`.
     */
    readonly kind?: string;
    readonly local?: string;
    readonly mediaType?: string;
    readonly error?: string;
  }[];
}

export interface ModuleGraph {
  /** The absolute paths to the project's files in the graph. */
  readonly files: readonly string[];
  /** The files that the function isn't allowed to import. */
  readonly refused: readonly string[];
  /** Whether the graph contains npm packages or Node's built-in modules, both of which can use `node:fs`. */
  readonly hasNodeModules: boolean;
}

export interface GraphRules {
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  /** The data folder of the server, which may be inside the project folder. */
  readonly dataDir: string;
  /** The absolute paths of the `static_files` patterns, each cut off before its first wildcard. */
  readonly staticRoots: readonly string[];
  /**
   * The folder of a deployed function, without symbolic links. If this folder is set, no files outside it can be
   * imported, not even code.
   */
  readonly root?: string | undefined;
  /** Resolves symbolic links. If the path doesn't exist, returns the path unchanged. */
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
 * Returns the project's files in a module graph and the files that the function isn't allowed to import. Source code
 * can be in any folder, for example in a monorepo. Data files can be imported only from the project folder and from the
 * folders in `static_files`.
 */
export function checkGraph(info: DenoInfo, rules: GraphRules): ModuleGraph {
  const files: string[] = [];
  const refused: string[] = [];
  let hasNodeModules = false;
  for (const { specifier, kind, local, mediaType, error } of info.modules ?? []) {
    if (kind === 'npm' || kind === 'node') hasNodeModules = true;
    if (!specifier.startsWith('file:')) continue;
    const path = local ?? fileURLToPath(specifier);
    // npm packages can be imported from any folder, because they don't contain secrets and are often symbolic links.
    if (rules.root === undefined && kind === 'external' && path.split(sep).includes('node_modules')) continue;
    files.push(path);
    // Deno couldn't read the file, so the check skips it. The error is reported when the function runs.
    if (error !== undefined && local === undefined) continue;
    if (!isAllowed(rules.realPath(path), kind === 'esm' && code.has(mediaType ?? ''), rules))
      refused.push(path);
  }
  return { files, refused, hasNodeModules };
}

/**
 * Whether a function may import a file as code (`isCode`) or read it as data.
 * @param path A path without symbolic links.
 */
export function isAllowed(
  path: string,
  isCode: boolean,
  { projectDir, dataDir, staticRoots, root }: Omit<GraphRules, 'realPath'>,
): boolean {
  if (root !== undefined) return isInside(path, root);
  if (isInside(path, dataDir)) return false;
  if (isCode || staticRoots.some((root) => isInside(path, root))) return true;
  const below = relative(projectDir, path);
  // Hidden files can't be imported as data, because files such as .env and .npmrc often contain secrets.
  return isInside(path, projectDir) && !below.split(sep).some((part) => part.startsWith('.'));
}

export function isInside(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === '' ||
    (!relativePath.startsWith(`..${sep}`) && relativePath !== '..' && !isAbsolute(relativePath))
  );
}
