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
  /** True: npm resolution from a package.json beside the entrypoint. */
  readonly packageJson: boolean;
  readonly staticFiles: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const slugPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;

export interface Catalog {
  /** Undefined when there is no such function or it is disabled. Reads the disk, so a new folder is served at once. */
  find(slug: string): FunctionSource | undefined;
  list(): string[];
  readonly functionsDir: string;
  sharedEnv(): Record<string, string>;
  /** The `.env` files of all functions: each gets its own as environment, none reads another's. */
  envFiles(): string[];
}

export function createCatalog(supabaseDir: string, config: Config): Catalog {
  const functionsDir = join(supabaseDir, 'functions');
  return {
    functionsDir,
    sharedEnv: () => readEnvFile(join(functionsDir, '.env')),
    envFiles() {
      const folders = foldersOf(functionsDir).map((name) => join(functionsDir, name));
      return [functionsDir, ...folders].flatMap((folder) =>
        existsSync(folder)
          ? readdirSync(folder)
              .filter((name) => name.startsWith('.env'))
              .map((name) => join(folder, name))
          : [],
      );
    },
    find(slug) {
      if (!slugPattern.test(slug)) return undefined;
      const settings = config.functions[slug];
      if (settings?.enabled === false) return undefined;
      const entrypoint = settings?.entrypoint
        ? resolve(supabaseDir, settings.entrypoint)
        : join(functionsDir, slug, 'index.ts');
      if (!isFile(entrypoint)) return undefined;
      const folder = dirname(entrypoint);
      return {
        slug,
        verifyJwt: settings?.verify_jwt ?? true,
        entrypoint,
        ...importsOf(
          folder,
          functionsDir,
          settings?.import_map ? resolve(supabaseDir, settings.import_map) : undefined,
        ),
        staticFiles: (settings?.static_files ?? []).map((glob: string) => resolve(supabaseDir, glob)),
        env: { ...readEnvFile(join(functionsDir, slug, '.env')), ...definedOf(settings?.env) },
      };
    },
    list() {
      const folders = foldersOf(functionsDir).filter((name) => slugPattern.test(name));
      const slugs = new Set([...folders, ...Object.keys(config.functions)]);
      return [...slugs].filter((slug) => this.find(slug) !== undefined).sort();
    },
  };
}

function foldersOf(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

function definedOf(names: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The first that applies: config `import_map`, deno.json(c), import_map.json beside the entry or in functions/, package.json. */
function importsOf(
  folder: string,
  functionsDir: string,
  configured: string | undefined,
): { importFlags: string[]; packageJson: boolean } {
  if (configured !== undefined)
    return { importFlags: ['--no-config', `--import-map=${configured}`], packageJson: false };
  for (const name of ['deno.json', 'deno.jsonc']) {
    const file = join(folder, name);
    if (isFile(file)) return { importFlags: [`--config=${file}`], packageJson: false };
  }
  for (const file of [join(folder, 'import_map.json'), join(functionsDir, 'import_map.json')]) {
    if (isFile(file)) return { importFlags: ['--no-config', `--import-map=${file}`], packageJson: false };
  }
  return { importFlags: ['--no-config'], packageJson: isFile(join(folder, 'package.json')) };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readEnvFile(path: string): Record<string, string> {
  if (!isFile(path)) return {};
  return parseEnv(readFileSync(path, 'utf8')) as Record<string, string>;
}
