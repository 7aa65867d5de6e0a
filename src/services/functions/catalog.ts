/**
 * Finds a project's functions in the files `supabase/functions/SLUG/index.ts` and the sections `[functions.SLUG]` of
 * config.toml.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readTextFile } from '../../base/shared/files.ts';
import { ConfigError, type LiveConfig, parseDotenv } from '../../platform/config/index.ts';
import { isInside } from './core/module-graph.ts';
import { type DeployedVersion, slugPattern } from './deployed/types.ts';

export interface FunctionSource {
  readonly slug: string;
  readonly verifyJwt: boolean;
  /** The absolute path to the main module. */
  readonly entrypoint: string;
  /** The Deno flags that control how imports are resolved. */
  readonly importFlags: readonly string[];
  /** The files that can affect how Deno resolves imports. Some of these files may not exist. */
  readonly importFiles: readonly string[];
  /** Whether npm packages are resolved according to the package.json beside the entrypoint. */
  readonly packageJson: boolean;
  /** The `.npmrc` file whose registries and tokens apply to the function's npm packages. */
  readonly npmrc: string | undefined;
  readonly staticFiles: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /**
   * The folder of a deployed function. The function can import and read only the files in this folder. The value is
   * undefined for functions in the project folder.
   */
  readonly root: string | undefined;
}

/** The deployed functions, which take precedence over functions in the project folder. */
export interface DeployedCatalog {
  list(): readonly DeployedVersion[];
  find(slug: string): DeployedVersion | undefined;
  /** Returns the folder that contains the files of a version. */
  folderOf(version: DeployedVersion): string;
}

/** Settings that replace the configured settings while `plinth functions serve` is running. */
export interface ServeOverrides {
  /** The absolute path to a file that replaces `functions/.env`. */
  readonly envFile?: string | undefined;
  /** The absolute path to an import map that replaces the import map of every function. */
  readonly importMap?: string | undefined;
  /** Whether requests to all functions are accepted without a token. */
  readonly noVerifyJwt?: boolean | undefined;
}

export interface Catalog {
  /**
   * Returns a function's source. Returns undefined if the function doesn't exist or is disabled. Each call reads the
   * file system, so a new function is available immediately.
   */
  find(slug: string): FunctionSource | undefined;
  list(): string[];
  readonly functionsDir: string;
  /** Returns the variables in `functions/.env`. */
  sharedEnv(): Readonly<Record<string, string>>;
  /**
   * Returns the position and the reason if a file with variables of this function is invalid. The file then defines no
   * variables.
   */
  envFault(source: Pick<FunctionSource, 'slug' | 'root'>): string | undefined;
}

export function createCatalog(
  supabaseDir: string,
  config: LiveConfig,
  overrides: () => ServeOverrides,
  deployed: DeployedCatalog,
): Catalog {
  const functionsDir = join(supabaseDir, 'functions');
  const sharedEnvFile = (): string => overrides().envFile ?? join(functionsDir, '.env');
  const ownEnvFile = (slug: string): string => join(functionsDir, slug, '.env');
  const read = (path: string): EnvFile => readEnvFile(path, relative(dirname(supabaseDir), path));
  return {
    functionsDir,
    sharedEnv: () => read(sharedEnvFile()).values,
    envFault({ slug, root }) {
      const files = root === undefined ? [sharedEnvFile(), ownEnvFile(slug)] : [sharedEnvFile()];
      return files.map((path) => read(path).fault).find((fault) => fault !== undefined);
    },
    find(slug) {
      if (!slugPattern.test(slug)) return undefined;
      const settings = config.current.functions[slug];
      if (settings?.enabled === false) return undefined;
      const version = deployed.find(slug);
      if (version !== undefined) {
        const source = deployedSource(
          version,
          deployed.folderOf(version),
          definedOf(settings?.env),
          functionsDir,
        );
        return overrides().noVerifyJwt ? { ...source, verifyJwt: false } : source;
      }
      const entrypoint = settings?.entrypoint
        ? resolve(supabaseDir, settings.entrypoint)
        : join(functionsDir, slug, 'index.ts');
      if (!isFile(entrypoint)) return undefined;
      // The import configuration is evaluated lazily, because finding it takes about a dozen file system calls. This
      // function runs for every request, but the import configuration is needed only when a worker starts.
      const folder = dirname(entrypoint);
      const imports = once(() =>
        importsOf(
          folder,
          functionsDir,
          overrides().importMap ??
            (settings?.import_map ? resolve(supabaseDir, settings.import_map) : undefined),
          npmrcFiles(folder, functionsDir, functionsDir),
        ),
      );
      return {
        slug,
        verifyJwt: !overrides().noVerifyJwt && (settings?.verify_jwt ?? true),
        entrypoint,
        get importFlags() {
          return imports().importFlags;
        },
        get importFiles() {
          return imports().importFiles;
        },
        get packageJson() {
          return imports().packageJson;
        },
        get npmrc() {
          return imports().npmrc;
        },
        staticFiles: (settings?.static_files ?? []).map((glob: string) => resolve(supabaseDir, glob)),
        get env() {
          return { ...read(ownEnvFile(slug)).values, ...definedOf(settings?.env) };
        },
        root: undefined,
      };
    },
    list() {
      const folders = foldersOf(functionsDir).filter((name) => slugPattern.test(name));
      const uploaded = deployed.list().map(({ slug }) => slug);
      const slugs = new Set([...folders, ...Object.keys(config.current.functions), ...uploaded]);
      return [...slugs].filter((slug) => this.find(slug) !== undefined).sort();
    },
  };
}

/**
 * Returns the source of a deployed function. The function's import settings are evaluated only when a worker starts.
 */
function deployedSource(
  { slug, verifyJwt, entrypointPath, importMapPath }: DeployedVersion,
  root: string,
  env: Readonly<Record<string, string>>,
  functionsDir: string,
): FunctionSource {
  const entrypoint = join(root, entrypointPath);
  const folder = dirname(entrypoint);
  const imports = once(() => {
    const map = importMapPath === undefined ? undefined : join(root, importMapPath);
    return importsOf(folder, folder, map, npmrcFiles(folder, root, functionsDir));
  });
  return {
    slug,
    verifyJwt,
    entrypoint,
    get importFlags() {
      return withoutWrites(imports().importFlags);
    },
    get importFiles() {
      return imports().importFiles;
    },
    get packageJson() {
      return imports().packageJson;
    },
    get npmrc() {
      return imports().npmrc;
    },
    staticFiles: [],
    env,
    root,
  };
}

/**
 * Adds flags that prevent Deno from writing packages to the folder of the deployed version, regardless of the
 * function's deno.json.
 */
function withoutWrites(flags: readonly string[]): string[] {
  const hasFolder = flags.some((flag) => flag.startsWith('--node-modules-dir'));
  return [...flags, ...(hasFolder ? [] : ['--node-modules-dir=none']), '--vendor=false'];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function foldersOf(dir: string): string[] {
  if (!existsSync(dir)) return [];
  // Symbolic links to folders are included, because a repository may store its functions in a different place.
  return readdirSync(dir).filter((name) =>
    statSync(join(dir, name), { throwIfNoEntry: false })?.isDirectory(),
  );
}

function definedOf(names: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * Returns the first import configuration that exists. The order is `import_map` in config.toml, deno.json or deno.jsonc
 * beside the entrypoint, import_map.json beside the entrypoint or in functions/, and then package.json. If there is a
 * node_modules folder beside the entrypoint, packages are read from that folder. Without a node_modules folder,
 * packages are read from Deno's cache.
 */
function importsOf(
  folder: string,
  functionsDir: string,
  configured: string | undefined,
  npmrcs: readonly string[],
): Pick<FunctionSource, 'importFlags' | 'importFiles' | 'packageJson' | 'npmrc'> {
  const [json, jsonc, ownMap, sharedMap, packageJson] = [
    join(folder, 'deno.json'),
    join(folder, 'deno.jsonc'),
    join(folder, 'import_map.json'),
    join(functionsDir, 'import_map.json'),
    join(folder, 'package.json'),
  ];
  const hasPackages = existsSync(join(folder, 'node_modules'));
  const vendored = hasPackages ? ['--node-modules-dir=manual'] : [];
  const found = (importFlags: readonly string[], isPackage = false) => ({
    importFlags,
    importFiles: [
      ...(configured === undefined ? [json, jsonc, ownMap, sharedMap, packageJson] : [configured]),
      ...npmrcs,
    ],
    packageJson: isPackage,
    npmrc: npmrcs.find(isFile),
  });
  const isConfig = configured !== undefined && ['deno.json', 'deno.jsonc'].includes(basename(configured));
  const config = isConfig ? configured : configured === undefined ? [json, jsonc].find(isFile) : undefined;
  // A deno.json also determines how Deno uses node_modules and vendor folders.
  if (config !== undefined) return found([`--config=${config}`]);
  // Import maps are also passed as configuration files, because Deno maps the subpaths of imported packages (`he/he.js`
  // for the import `he`) only for configuration files. Upstream's runtime maps them for all files.
  const map = configured ?? [ownMap, sharedMap].find(isFile);
  if (map !== undefined) return found([`--config=${map}`, ...vendored]);
  if (isFile(packageJson)) return found([`--node-modules-dir=${hasPackages ? 'manual' : 'none'}`], true);
  return found(['--no-config', ...vendored]);
}

/**
 * Returns the paths at which a function's `.npmrc` file can be, in order of precedence: the entrypoint's folder and the
 * folders above it up to `top`, and then the functions folder.
 */
function npmrcFiles(folder: string, top: string, functionsDir: string): string[] {
  const folders = [folder];
  for (let above = folder; above !== top && isInside(above, top); ) {
    above = dirname(above);
    folders.push(above);
  }
  return [...new Set([...folders, functionsDir])].map((path) => join(path, '.npmrc'));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

interface EnvFile {
  readonly values: Readonly<Record<string, string>>;
  readonly fault: string | undefined;
}

/** Reads a dotenv file, which may be missing. `shown` is the path in the fault. */
function readEnvFile(path: string, shown: string): EnvFile {
  if (!isFile(path)) return { values: {}, fault: undefined };
  try {
    return { values: Object.fromEntries(parseDotenv(readTextFile(path), shown)), fault: undefined };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { values: {}, fault: error.message };
  }
}
