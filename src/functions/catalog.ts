/** Finds the functions of a project: `supabase/functions/SLUG/index.ts` and each `[functions.SLUG]` in config.toml. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config } from '../config/index.ts';

export interface FunctionSource {
  readonly slug: string;
  readonly verifyJwt: boolean;
  /** The absolute path of the main module. */
  readonly entrypoint: string;
  /** The Deno flags that control import resolution. */
  readonly importFlags: readonly string[];
  /** The files that can affect import resolution. Some of them may not exist. */
  readonly importFiles: readonly string[];
  /** Whether npm resolution uses the package.json beside the entrypoint. */
  readonly packageJson: boolean;
  readonly staticFiles: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const slugPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** Overrides that apply while `plinth functions serve` is running. */
export interface ServeOverrides {
  /** An absolute path that replaces `functions/.env`. */
  readonly envFile?: string | undefined;
  /** An absolute path that overrides every function's import map. */
  readonly importMap?: string | undefined;
  /** When true, no function requires a token. */
  readonly noVerifyJwt?: boolean | undefined;
}

export interface Catalog {
  /**
   * Returns undefined if the function doesn't exist or is disabled. Reads the disk on each call, so a new folder is
   * served immediately.
   */
  find(slug: string): FunctionSource | undefined;
  list(): string[];
  readonly functionsDir: string;
  sharedEnv(): Record<string, string>;
}

export function createCatalog(supabaseDir: string, config: Config, overrides: () => ServeOverrides): Catalog {
  const functionsDir = join(supabaseDir, 'functions');
  return {
    functionsDir,
    sharedEnv: () => readEnvFile(overrides().envFile ?? join(functionsDir, '.env')),
    find(slug) {
      if (!slugPattern.test(slug)) return undefined;
      const settings = config.functions[slug];
      if (settings?.enabled === false) return undefined;
      const entrypoint = settings?.entrypoint
        ? resolve(supabaseDir, settings.entrypoint)
        : join(functionsDir, slug, 'index.ts');
      if (!isFile(entrypoint)) return undefined;
      // Evaluated lazily because this code runs on every request. Import resolution is only needed when a worker starts
      // and takes about a dozen file system calls.
      const imports = once(() =>
        importsOf(
          dirname(entrypoint),
          functionsDir,
          overrides().importMap ??
            (settings?.import_map ? resolve(supabaseDir, settings.import_map) : undefined),
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
        staticFiles: (settings?.static_files ?? []).map((glob: string) => resolve(supabaseDir, glob)),
        get env() {
          return { ...readEnvFile(join(functionsDir, slug, '.env')), ...definedOf(settings?.env) };
        },
      };
    },
    list() {
      const folders = foldersOf(functionsDir).filter((name) => slugPattern.test(name));
      const slugs = new Set([...folders, ...Object.keys(config.functions)]);
      return [...slugs].filter((slug) => this.find(slug) !== undefined).sort();
    },
  };
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
  // Includes symbolic links to folders, because a repository may store its functions elsewhere.
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
 * Returns the first import configuration that exists: `import_map` from config.toml, deno.json(c), import_map.json
 * beside the entrypoint or in functions/, then package.json. A node_modules folder beside the entrypoint is used
 * unchanged. Without such a folder, packages come from Deno's cache.
 */
function importsOf(
  folder: string,
  functionsDir: string,
  configured: string | undefined,
): Pick<FunctionSource, 'importFlags' | 'importFiles' | 'packageJson'> {
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
    importFiles: configured === undefined ? [json, jsonc, ownMap, sharedMap, packageJson] : [configured],
    packageJson: isPackage,
  });
  if (configured !== undefined) return found(['--no-config', `--import-map=${configured}`, ...vendored]);
  const config = [json, jsonc].find(isFile);
  // deno.json itself configures the node_modules and vendor folders.
  if (config !== undefined) return found([`--config=${config}`]);
  const map = [ownMap, sharedMap].find(isFile);
  if (map !== undefined) return found(['--no-config', `--import-map=${map}`, ...vendored]);
  if (isFile(packageJson)) return found([`--node-modules-dir=${hasPackages ? 'manual' : 'none'}`], true);
  return found(['--no-config', ...vendored]);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readEnvFile(path: string): Record<string, string> {
  if (!isFile(path)) return {};
  return parseEnv(readFileSync(path, 'utf8')) as Record<string, string>;
}
