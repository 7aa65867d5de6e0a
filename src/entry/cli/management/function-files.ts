/**
 * Collects the files that are deployed with a function: modules, the import map, static files, and the files of the
 * Deno workspace to which the function's deno.json belongs. Deno reads the imports of the workspace's root and the
 * names of the members.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import type { Config } from '../../../platform/config/index.ts';
import {
  type ImportMap,
  isModule,
  parseCommented,
  parseImportMap,
  resolveImport,
  specifiersIn,
} from '../core/module-specifiers.ts';
import { CommandError } from '../errors.ts';

export interface FunctionUpload {
  readonly metadata: {
    readonly name: string;
    readonly entrypoint_path: string;
    readonly import_map_path?: string;
    readonly verify_jwt: boolean;
    readonly static_patterns: readonly string[];
  };
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
}

interface UploadOptions {
  readonly projectDir: string;
  readonly config: Pick<Config, 'functions'>;
  /** The absolute path of an import map that replaces the configured import map. */
  readonly importMap: string | undefined;
  readonly noVerifyJwt: boolean;
  readonly warn: (message: string) => void;
}

/**
 * Collects a function's files.
 * @throws {CommandError} if the entrypoint doesn't exist or a file is outside the project folder
 */
export function collectFunction(slug: string, options: UploadOptions): FunctionUpload {
  const { projectDir, config, warn } = options;
  const supabaseDir = join(projectDir, 'supabase');
  const settings = config.functions[slug];
  const relativePath = (path: string): string => pathInProject(projectDir, path);
  const entrypoint = relativePath(
    settings?.entrypoint
      ? resolve(supabaseDir, settings.entrypoint)
      : join(supabaseDir, 'functions', slug, 'index.ts'),
  );
  if (!isFile(join(projectDir, entrypoint)))
    throw new CommandError(`The entrypoint of the function ${slug} doesn't exist: ${entrypoint}`);
  const mapPath = importMapOf(slug, entrypoint, options);
  const files = new Map<string, Buffer>();
  const read = (path: string): Buffer => {
    const content = readFileSync(join(projectDir, path));
    files.set(path, content);
    return content;
  };
  const map = mapPath === undefined ? undefined : readMap(mapPath, read);
  const workspace = mapPath === undefined ? undefined : workspaceOf(projectDir, mapPath);
  const others = workspace === undefined ? [] : [readMap(workspace.root, read), workspace.packages];
  for (const path of workspace?.members ?? []) read(path);
  const packageJson = posix.join(posix.dirname(entrypoint), 'package.json');
  if (mapPath === undefined && isFile(join(projectDir, packageJson))) read(packageJson);
  const patterns = (settings?.static_files ?? []).map((glob) => resolve(supabaseDir, glob));
  for (const path of patterns.flatMap(staticFiles)) read(relativePath(path));

  const queue = [entrypoint];
  const seen = new Set<string>();
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    if (!isFile(join(projectDir, path))) {
      warn(`WARN: ${slug} imports a file that doesn't exist: ${path}`);
      continue;
    }
    const content = read(path);
    if (!isModule(path)) continue;
    for (const specifier of specifiersIn(content.toString('utf8'))) {
      const [target] = [map, ...others].flatMap((each) => resolveImport(specifier, path, each) ?? []);
      if (target === undefined) continue;
      if (target.startsWith('..'))
        throw new CommandError(
          `${path} imports ${specifier}, which is outside of the project folder and therefore can't be deployed.`,
          'Move the file into the project folder.',
        );
      queue.push(target);
    }
  }
  return {
    metadata: {
      name: slug,
      entrypoint_path: entrypoint,
      ...(mapPath === undefined ? {} : { import_map_path: mapPath }),
      verify_jwt: !options.noVerifyJwt && (settings?.verify_jwt ?? true),
      static_patterns: patterns.map(relativePath),
    },
    files: [...files].map(([path, content]) => ({ path, content })),
  };
}

/**
 * Returns the first import map that exists, in the order of upstream's CLI 3.1: the flag, config.toml, then files
 * beside the entrypoint.
 */
function importMapOf(
  slug: string,
  entrypoint: string,
  { projectDir, config, importMap }: UploadOptions,
): string | undefined {
  const configured = config.functions[slug]?.import_map;
  const named = importMap ?? (configured ? resolve(projectDir, 'supabase', configured) : undefined);
  if (named !== undefined) {
    if (!isFile(named))
      throw new CommandError(`The import map of the function ${slug} doesn't exist: ${named}`);
    return pathInProject(projectDir, named);
  }
  const folder = join(projectDir, entrypoint, '..');
  const found = [
    join(folder, 'deno.json'),
    join(folder, 'deno.jsonc'),
    join(folder, 'import_map.json'),
    join(projectDir, 'supabase', 'functions', 'import_map.json'),
  ].find(isFile);
  return found === undefined ? undefined : pathInProject(projectDir, found);
}

/** Reads an import map. A deno.json can refer to an import map in another file. */
function readMap(path: string, read: (path: string) => Buffer): ImportMap {
  let map: ReturnType<typeof parseImportMap>;
  try {
    map = parseImportMap(path, read(path).toString('utf8'));
  } catch (error) {
    throw new CommandError(`${path} can't be read: ${(error as Error).message}`);
  }
  if (map.importMap === undefined) return map;
  const other = resolveImport(map.importMap.replace(/^(?!\.)/, './'), path);
  if (other === undefined || other.startsWith('..')) return map;
  return readMap(other, read);
}

function staticFiles(pattern: string): string[] {
  return globSync(pattern).flatMap((path) =>
    isFile(path) ? [path] : globSync(join(path, '**', '*')).filter(isFile),
  );
}

/** Returns the path relative to the project folder. @throws {CommandError} if the path is outside the project folder */
function pathInProject(projectDir: string, path: string): string {
  const below = relative(projectDir, path).split(sep).join('/');
  if (below.startsWith('..') || below === '' || resolve(projectDir, below) !== resolve(path))
    throw new CommandError(`${path} is outside of the project folder, so it can't be deployed.`);
  return below;
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

interface DenoWorkspace {
  /** The path of the root's configuration file, relative to the project folder. */
  readonly root: string;
  /** The paths of the members' configuration files and package.json files, relative to the project folder. */
  readonly members: readonly string[];
  /** The local modules that the members export, by the specifiers with which they are imported. */
  readonly packages: ImportMap;
}

/** Returns the workspace that lists the folder of a configuration file, or undefined if there is none. */
function workspaceOf(projectDir: string, config: string): DenoWorkspace | undefined {
  const folder = posix.dirname(config);
  for (let parent = folder; parent !== '.'; ) {
    parent = posix.dirname(parent);
    for (const root of configNames.map((name) => posix.join(parent, name))) {
      const folders = membersIn(projectDir, root);
      if (!folders.includes(folder)) continue;
      const members = folders.flatMap((member) => filesIn(projectDir, member));
      const imports = Object.assign({}, ...members.map((path) => exportsOf(projectDir, path, parent)));
      return { root, members, packages: { path: root, imports, scopes: {} } };
    }
  }
  return undefined;
}

const configNames = ['deno.json', 'deno.jsonc'];

/** Returns the folders that a workspace lists. */
function membersIn(projectDir: string, root: string): string[] {
  const { workspace } = readConfig(join(projectDir, root));
  const listed = Array.isArray(workspace)
    ? workspace
    : (workspace as { members?: unknown } | undefined)?.members;
  const patterns = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: dirname(join(projectDir, root)) }))
    .map((member) => posix.join(posix.dirname(root), member.replaceAll('\\', '/'), '.'))
    .filter((member) => !member.startsWith('..'));
}

const filesIn = (projectDir: string, folder: string): string[] =>
  [...configNames, 'package.json']
    .map((name) => posix.join(folder, name))
    .filter((path) => isFile(join(projectDir, path)));

/** Returns the modules that a member exports, by the names with which other members import them. */
function exportsOf(projectDir: string, path: string, root: string): Record<string, string> {
  const { name, exports } = readConfig(join(projectDir, path));
  if (typeof name !== 'string') return {};
  const entries =
    typeof exports === 'string' ? { '.': exports } : ((exports ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    Object.entries(entries).flatMap(([key, file]) =>
      typeof file === 'string'
        ? [[posix.join(name, key), `./${posix.relative(root, posix.join(posix.dirname(path), file))}`]]
        : [],
    ),
  );
}

/** Reads a configuration file. Deno reports a file that can't be parsed when the function starts. */
function readConfig(path: string): Record<string, unknown> {
  try {
    return isFile(path) ? parseCommented(readFileSync(path, 'utf8')) : {};
  } catch {
    return {};
  }
}
