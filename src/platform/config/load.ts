/**
 * Loads the settings from the files in the project folder, the layer of saved settings, dotenv files, the environment and
 * flags.
 */
import { existsSync } from 'node:fs';
import { basename, join, resolve as resolvePath } from 'node:path';
import { isWithin, realPathOf } from '../../base/kernel/real-path.ts';
import { check } from './core/check.ts';
import { type NamedFile, outsideFault } from './core/confine.ts';
import { privateKeysFrom } from './core/decrypt.ts';
import { disableIncomplete } from './core/incomplete.ts';
import { checkRemotes, withRemote } from './core/remotes.ts';
import {
  type Overrides,
  type References,
  type Resolved,
  resolve,
  type Sources,
  savedTemplates,
} from './core/resolve.ts';
import { ConfigError, type Notice, noticeText, type RawTable, treeFrom } from './core/tree.ts';
import { readEnvironment, readSettings, type SettingsSource } from './files.ts';
import { type Config, plinthSchema, projectSchema } from './schema/index.ts';

export interface LoadOptions extends SettingsSource {
  /** The shell's environment. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Values by the setting's key, such as `{ 'api.port': 0 }`. These values take precedence over all other sources. */
  readonly flags?: Readonly<Record<string, string | number | boolean>>;
  /**
   * In `development`, external services whose settings refer to unset environment variables are disabled
   * (`core/incomplete.ts`). Defaults to `production`.
   */
  readonly mode?: 'development' | 'production';
  /** The project ref of the server to which a command deploys. Selects the settings in `[remotes.NAME]`. */
  readonly remoteRef?: string | undefined;
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
  savedDir,
  env = process.env,
  flags = {},
  texts = {},
  mode = 'production',
  remoteRef,
}: LoadOptions): Loaded {
  const supabaseDir = join(projectDir, 'supabase');
  const files = { projectDir, savedDir, texts };
  const environment = readEnvironment(env, files);
  const [shared, plinth] = [readSettings(files, 'config.toml'), readSettings(files, 'plinth.toml')];
  const project = remoteRef === undefined ? shared : withRemote(shared, remoteRef);
  const { config, warnings, overrides, references } = build(project, plinth, {
    flags,
    environment,
    supabaseDir,
    savedDir,
    defaultProjectId: basename(projectDir),
    exists: existsSync,
    numbersAreUnits: false,
    disablesIncomplete: mode === 'development',
    outside: (file, allowed) =>
      savedDir !== undefined && isTemplateIn(savedDir, file)
        ? undefined
        : outsideFault(file, {
            folders: [projectDir, ...allowed.map((folder) => resolvePath(projectDir, folder))],
            dataFolder: join(projectDir, '.plinth'),
            realPath: (path) => realPathOf(path),
          }),
  });
  return { config, environment, warnings: warnings.map(noticeText), supabaseDir, overrides, references };
}

const isTemplateIn = (savedDir: string, { path, isFolder }: NamedFile): boolean =>
  !isFolder && isWithin(realPathOf(savedTemplates(savedDir)), realPathOf(path));

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

type BuildOptions = Omit<Sources, 'prefix' | 'privateKeys' | 'dropsUnset'> & {
  readonly defaultProjectId: string;
  readonly disablesIncomplete: boolean;
  /** Returns an error message if a file is outside the project folder and the `allowed` folders. */
  readonly outside: (file: NamedFile, allowed: readonly string[]) => string | undefined;
};

function build(project: RawTable, plinth: RawTable, options: BuildOptions) {
  const sources = { ...options, privateKeys: privateKeysFrom(options.environment) };
  const remotes = checkRemotes(project, projectSchema);
  const withoutMeta = new Map([...project].filter(([key]) => key !== 'remotes' && key !== '$schema'));
  const first = resolve(projectSchema, withoutMeta, { ...sources, prefix: 'SUPABASE', dropsUnset: false });
  const second = resolve(plinthSchema, plinth, {
    ...sources,
    flags: plinthFlags(sources.flags),
    prefix: 'PLINTH',
    dropsUnset: true,
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
    { exists: options.exists, unset: first.unset, ownUnset: second.unset },
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

const plinthPrefix = 'plinth.';

/** Returns the flags for the settings in plinth.toml, without the `plinth.` prefix. */
const plinthFlags = (flags: Sources['flags']): Sources['flags'] =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) =>
      key.startsWith(plinthPrefix) ? [[key.slice(plinthPrefix.length), value]] : [],
    ),
  );
