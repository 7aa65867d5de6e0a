/** Loads the settings from the files in the project folder, dotenv files, the environment and flags. */
import { existsSync } from 'node:fs';
import { basename, join, relative, resolve as resolvePath } from 'node:path';
import { realPathOf } from '../../base/kernel/real-path.ts';
import { readTextFile } from '../../base/shared/files.ts';
import { check } from './core/check.ts';
import { type NamedFile, outsideFault } from './core/confine.ts';
import { privateKeysFrom } from './core/decrypt.ts';
import { parseDotenv } from './core/dotenv.ts';
import { disableIncomplete } from './core/incomplete.ts';
import { checkRemotes } from './core/remotes.ts';
import { type Overrides, type References, type Resolved, resolve, type Sources } from './core/resolve.ts';
import {
  ConfigError,
  type Notice,
  noticeText,
  parseJson,
  parseToml,
  type RawTable,
  treeFrom,
} from './core/tree.ts';
import { type Config, plinthSchema, projectSchema } from './schema/index.ts';

export interface LoadOptions {
  /** The folder that contains `supabase/`. The `supabase/` folder may be missing. */
  readonly projectDir: string;
  /** The shell's environment. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Values by the setting's key, such as `{ 'api.port': 0 }`. These values take precedence over all other sources. */
  readonly flags?: Readonly<Record<string, string | number | boolean>>;
  /**
   * Contents to use in place of files in `supabase/`, by file name. Used to validate changed files before they are
   * written.
   */
  readonly texts?: Readonly<Record<string, string>>;
  /**
   * In `development`, external services whose settings refer to unset environment variables are disabled
   * (`core/incomplete.ts`). Defaults to `production`.
   */
  readonly mode?: 'development' | 'production';
}

export interface Loaded {
  readonly config: Config;
  /**
   * The variables that `env()` can refer to, from the shell and the dotenv files. Edge functions also receive these
   * variables.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** The warnings, each with its file and line. */
  readonly warnings: readonly string[];
  /** The path to the `supabase/` folder, which may not exist. */
  readonly supabaseDir: string;
  readonly overrides: Overrides;
  /** The settings in config.toml that refer to environment variables. */
  readonly references: References;
}

/**
 * Loads the configuration.
 * @throws {ConfigError} with all errors in the settings files
 * @example
 * const { config } = loadConfig({ projectDir: process.cwd(), flags: { 'api.port': 0 } });
 */
export function loadConfig({
  projectDir,
  env = process.env,
  flags = {},
  texts = {},
  mode = 'production',
}: LoadOptions): Loaded {
  const supabaseDir = join(projectDir, 'supabase');
  const shown = (path: string) => relative(projectDir, path).replaceAll('\\', '/');
  const environment = readEnvironment(env, [supabaseDir, projectDir], shown, texts);
  const project = readFirst(supabaseDir, ['config.json', 'config.jsonc', 'config.toml'], shown, texts);
  const plinth = readFirst(supabaseDir, ['plinth.toml'], shown, texts);
  const { config, warnings, overrides, references } = build(project, plinth, {
    flags,
    environment,
    supabaseDir,
    defaultProjectId: basename(projectDir),
    exists: existsSync,
    numbersAreUnits: false,
    disablesIncomplete: mode === 'development',
    outside: (file, allowed) =>
      outsideFault(file, {
        folders: [projectDir, ...allowed.map((folder) => resolvePath(projectDir, folder))],
        dataFolder: join(projectDir, '.plinth'),
        realPath: (path) => realPathOf(path),
      }),
  });
  return { config, environment, warnings: warnings.map(noticeText), supabaseDir, overrides, references };
}

/**
 * Returns the paths to the files that {@link loadConfig} reads, including files that don't exist. Files that settings
 * refer to, such as certificates, aren't included.
 */
export function settingsFiles({ projectDir, env = process.env }: LoadOptions): string[] {
  const supabaseDir = join(projectDir, 'supabase');
  const settings = ['config.json', 'config.jsonc', 'config.toml', 'plinth.toml'];
  return [
    ...settings.map((name) => join(supabaseDir, name)),
    ...[supabaseDir, projectDir].flatMap((dir) => dotenvFiles(env).map((name) => join(dir, name))),
  ];
}

/** Returns the defaults of all settings, for tests and for folders without settings. */
export function defaultConfig(): Config {
  return configFrom({});
}

type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

export type PartialConfig = DeepPartial<Config>;

/**
 * Returns the default settings with some values replaced. The settings are validated as if they had been read from a
 * file. Doesn't read files or the environment.
 *
 * @throws {ConfigError}
 * @example configFrom({ auth: { enable_anonymous_sign_ins: true } });
 */
export function configFrom(partial: PartialConfig, supabaseDir = join(process.cwd(), 'supabase')): Config {
  const { plinth = {}, ...project } = partial;
  return build(treeFrom(project), treeFrom(plinth), {
    flags: {},
    environment: {},
    supabaseDir,
    defaultProjectId: 'plinth',
    exists: existsSync,
    numbersAreUnits: true,
    disablesIncomplete: false,
    // Settings from code may refer to files anywhere.
    outside: () => undefined,
  }).config;
}

type BuildOptions = Omit<Sources, 'prefix' | 'privateKeys'> & {
  readonly defaultProjectId: string;
  readonly disablesIncomplete: boolean;
  /** Returns an error message if a file is outside the project folder and the `allowed` folders. */
  readonly outside: (file: NamedFile, allowed: readonly string[]) => string | undefined;
};

function build(project: RawTable, plinth: RawTable, options: BuildOptions) {
  const sources = { ...options, privateKeys: privateKeysFrom(options.environment) };
  const remotes = checkRemotes(project, projectSchema);
  const withoutMeta = new Map([...project].filter(([key]) => key !== 'remotes' && key !== '$schema'));
  const first = resolve(projectSchema, withoutMeta, { ...sources, prefix: 'SUPABASE' });
  const second = resolve(plinthSchema, plinth, {
    ...sources,
    flags: plinthFlags(sources.flags),
    prefix: 'PLINTH',
  });
  const renamed: Notice[] = [];

  const values = first.value as Omit<Config, 'project_id' | 'plinth'> & { project_id: string | undefined };
  const written = values.project_id ?? options.defaultProjectId;
  const project_id = sanitizeProjectId(written);
  if (values.project_id !== undefined && project_id !== written) {
    renamed.push({
      key: 'project_id',
      message: `not a valid name, so ${project_id} is used`,
      ...at(first, 'project_id'),
    });
  }
  const auth = { ...values.auth, external: inFileOrder(values.auth.external, project) };
  const complete: Config = { ...values, auth, project_id, plinth: second.value as Config['plinth'] };
  const notice = (key: string, message: string): Notice => ({
    key,
    message,
    ...at(first, key),
    ...at(second, key),
  });
  const notices: Notice[] = [];
  const { config, isDisabled } = options.disablesIncomplete
    ? disableIncomplete(complete, first.unset, (key, message) => notices.push(notice(key, message)))
    : { config: complete, isDisabled: () => false };
  const applies = ({ key }: Notice): boolean => !(isDisabled(key) && first.unset.has(key));
  const warnings = [...first.warnings, ...second.warnings, ...remotes.warnings]
    .filter(applies)
    .concat(notices, renamed);
  const faults = [...first.faults, ...second.faults, ...remotes.faults].filter(applies);
  check(
    config,
    { exists: options.exists, unset: first.unset },
    (key, message) => {
      const reportedAlready = faults.some((fault) => fault.key === key);
      if (!reportedAlready) faults.push(notice(key, message));
    },
    (key, message) => warnings.push(notice(key, message)),
  );
  const allowed = config.plinth.files.allowed_folders;
  for (const file of [...first.files, ...second.files]) {
    const fault = options.outside(file, allowed);
    if (fault !== undefined) faults.push(notice(file.key, fault));
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    config,
    warnings,
    overrides: new Map([...first.overrides, ...second.overrides]),
    references: first.references,
  };
}

/** Sorts the providers in the order of the file, because the Account pages use this order. */
function inFileOrder<Providers extends object>(providers: Providers, project: RawTable): Providers {
  const auth = project.get('auth')?.value;
  const external = auth instanceof Map ? auth.get('external')?.value : undefined;
  const written = external instanceof Map ? [...external.keys()] : [];
  const entries = Object.entries(providers);
  const rank = new Map(written.map((name, index) => [name, index]));
  const rankOf = ([name]: [string, unknown]): number => rank.get(name) ?? written.length;
  return Object.fromEntries(entries.toSorted((one, other) => rankOf(one) - rankOf(other))) as Providers;
}

/**
 * Returns the position of a key in the file. If the key isn't in the file, returns the position of the nearest
 * enclosing section.
 */
function at({ locations }: Resolved, key: string): Pick<Notice, 'location'> {
  const parts = key.split('.');
  for (let length = parts.length; length > 0; length--) {
    const location = locations.get(parts.slice(0, length).join('.'));
    if (location !== undefined) return { location };
  }
  return {};
}

function sanitizeProjectId(name: string): string {
  const cleaned = name.replace(/[^a-zA-Z0-9_.-]+/g, '_').replace(/^[_.-]+/, '');
  return cleaned.slice(0, 40) || 'project';
}

function readFirst(
  dir: string,
  names: readonly string[],
  shown: (path: string) => string,
  texts: Readonly<Record<string, string>>,
): RawTable {
  for (const name of names) {
    const path = join(dir, name);
    const text = texts[name] ?? readIfThere(path);
    if (text === undefined) continue;
    return name.endsWith('.toml') ? parseToml(text, shown(path)) : parseJson(text, shown(path));
  }
  return new Map();
}

/**
 * Reads the shell's variables, and then the dotenv files in each folder. If a name is defined more than once, the first
 * definition takes precedence. The order within a folder is `.env.ENV.local`, `.env.local` (except if ENV is `test`),
 * `.env.ENV` and `.env`, where ENV is the value of SUPABASE_ENV.
 */
function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  dirs: readonly string[],
  shown: (path: string) => string,
  texts: Readonly<Record<string, string>>,
): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) merged[name] = value;
  const files = dotenvFiles(merged);
  for (const [index, dir] of dirs.entries()) {
    for (const file of files) {
      const path = join(dir, file);
      const text = (index === 0 ? texts[file] : undefined) ?? readIfThere(path) ?? '';
      for (const [name, value] of parseDotenv(text, shown(path))) merged[name] ??= value;
    }
  }
  return merged;
}

function dotenvFiles(env: Readonly<Record<string, string | undefined>>): string[] {
  const stage = env.SUPABASE_ENV || 'development';
  const local = stage === 'test' ? [] : ['.env.local'];
  return [`.env.${stage}.local`, ...local, `.env.${stage}`, '.env'];
}

function readIfThere(path: string): string | undefined {
  try {
    return readTextFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

const plinthPrefix = 'plinth.';

/** Returns the flags for the settings in plinth.toml, without the `plinth.` prefix. */
const plinthFlags = (flags: Sources['flags']): Sources['flags'] =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) =>
      key.startsWith(plinthPrefix) ? [[key.slice(plinthPrefix.length), value]] : [],
    ),
  );
