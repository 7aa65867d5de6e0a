/** Which functions a project has: `supabase/functions/SLUG/index.ts` and every `[functions.SLUG]` of config.toml. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config } from '../config/index.ts';

export interface FunctionSource {
  readonly slug: string;
  readonly verifyJwt: boolean;
  /** Absolute path of the main module. */
  readonly entrypoint: string;
  /** Flags that tell Deno which imports count. */
  readonly importFlags: readonly string[];
  /** Files that decide which imports count; they may not be there. */
  readonly importFiles: readonly string[];
  /** True: npm resolution from a package.json beside the entrypoint. */
  readonly packageJson: boolean;
  readonly staticFiles: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const slugPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** What `plinth functions serve` changes for as long as it runs. */
export interface ServeOverrides {
  /** Absolute; instead of `functions/.env`. */
  readonly envFile?: string | undefined;
  /** Absolute; over every function's own. */
  readonly importMap?: string | undefined;
  /** True: nobody is asked for a token. */
  readonly noVerifyJwt?: boolean | undefined;
}

export interface Catalog {
  /** Undefined when there is no such function or it is disabled. Reads the disk, so a new folder is served at once. */
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
      // Every request asks; how its modules are found concerns starts only, and costs a dozen looks at the disk.
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
  // Links to folders too: a repository may keep its functions elsewhere.
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
 * The first that applies: config `import_map`, deno.json(c), import_map.json beside the entry or in functions/,
 * package.json. A node_modules folder beside the entry is used as it is; without one packages come from Deno's cache.
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
  // It says itself what node_modules and vendor folders are for.
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
