/** Reads the settings files: the project's files, and the layer of saved settings above them if there is one. */
import { join, relative } from 'node:path';
import { isWithin } from '../../base/kernel/real-path.ts';
import { readTextFile } from '../../base/shared/files.ts';
import { parseDotenv } from './core/dotenv.ts';
import { plainFrom, withLayer } from './core/layer.ts';
import { pathIn, withSchemaNames } from './core/names.ts';
import { parseJson, parseToml, type RawTable } from './core/tree.ts';
import type { SettingsFile } from './schema/define.ts';
import { plinthSchema, projectSchema } from './schema/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingsPlace {
  /** The folder that contains `supabase/`. The `supabase/` folder may be missing. */
  readonly projectDir: string;
  /**
   * The folder of the saved settings, which override the project's files (docs/decisions/0102-settings-layer.md).
   * Undefined if the server saves changed settings in the project's files.
   */
  readonly savedDir?: string | undefined;
}

export interface SettingsSource extends SettingsPlace {
  /**
   * Contents to use in place of files in `supabase/`, or in the folder of the saved settings if there is one, by file
   * name. Used to validate changed files before they are written.
   */
  readonly texts?: Readonly<Record<string, string>>;
}

/** The folder of the saved settings in the data folder. */
export const savedFolder = 'saved-settings';

/**
 * Returns the folder in which a server saves changed settings. Undefined if the server saves them in the project's files,
 * because it is the project's only server.
 */
export const savedDirOf = ({
  dataDir,
  mode,
  databaseUrl,
}: {
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  readonly databaseUrl?: string | undefined;
}): string | undefined =>
  mode === 'production' && databaseUrl !== undefined ? join(dataDir, savedFolder) : undefined;

/** Returns the path as shown in messages: relative to the project folder if the file is in that folder. */
export const shownIn =
  (projectDir: string) =>
  (path: string): string =>
    (isWithin(projectDir, path) ? relative(projectDir, path) : path).replaceAll('\\', '/');

/** Reads a settings file. The result contains the project's settings with the changes in the layer of saved settings. */
export function readSettings(
  { projectDir, savedDir, texts = {} }: SettingsSource,
  file: SettingsFile,
): RawTable {
  const supabaseDir = join(projectDir, 'supabase');
  const names = file === 'config.toml' ? ['config.json', 'config.jsonc', file] : [file];
  const shown = shownIn(projectDir);
  if (savedDir === undefined) return readFirst(supabaseDir, names, shown, texts);
  return withLayer(
    schemaOf(file),
    readFirst(supabaseDir, names, shown, {}),
    readFirst(savedDir, [file], shown, texts),
  );
}

/**
 * Returns the values in a settings file as plain objects, with the changes in the layer of saved settings.
 * @throws {ConfigError} if a file can't be parsed
 */
export const settingsTable = (source: SettingsSource, file: SettingsFile): Record<string, unknown> =>
  plainFrom(readSettings(source, file));

const schemaOf = (file: SettingsFile) => (file === 'config.toml' ? projectSchema : plinthSchema);

/**
 * Returns the values of a settings file with the names in the schema in place of their aliases.
 * @example
 * schemaNames('config.toml', { auth: { email: { enabled: true } } }); // { auth: { email: { enable_signup: true } } }
 */
export const schemaNames = (
  file: SettingsFile,
  table: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => withSchemaNames(schemaOf(file), table);

/** Returns the path of a setting with the aliases that the settings file uses. */
export const pathInFile = (
  file: SettingsFile,
  table: Readonly<Record<string, unknown>>,
  path: readonly string[],
): string[] => pathIn(schemaOf(file), table, path);

/**
 * Returns the paths to the files that `loadConfig` reads, including files that don't exist. Files that settings
 * refer to, such as certificates, aren't included.
 */
export function settingsFiles({
  projectDir,
  savedDir,
  env = process.env,
}: SettingsPlace & { readonly env?: Environment }): string[] {
  const supabaseDir = join(projectDir, 'supabase');
  const settings = ['config.json', 'config.jsonc', 'config.toml', 'plinth.toml'];
  return [
    ...settings.map((name) => join(supabaseDir, name)),
    ...[supabaseDir, projectDir].flatMap((dir) => dotenvFiles(env).map((name) => join(dir, name))),
    ...(savedDir === undefined ? [] : savedFiles(savedDir)),
  ];
}

/** Returns the paths to the settings in the layer of saved settings. */
export const savedFiles = (savedDir: string): string[] =>
  ['config.toml', 'plinth.toml', '.env'].map((name) => join(savedDir, name));

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
 * `.env.ENV` and `.env`, where ENV is the value of SUPABASE_ENV. The folder of the saved settings contains only `.env`.
 */
export function readEnvironment(
  env: Environment,
  { projectDir, savedDir, texts = {} }: SettingsSource,
): Record<string, string> {
  const shown = shownIn(projectDir);
  const dirs = [...(savedDir === undefined ? [] : [savedDir]), join(projectDir, 'supabase'), projectDir];
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) merged[name] = value;
  const files = dotenvFiles(merged);
  for (const [index, dir] of dirs.entries()) {
    for (const file of dir === savedDir ? ['.env'] : files) {
      const path = join(dir, file);
      const text = (index === 0 ? texts[file] : undefined) ?? readIfThere(path) ?? '';
      for (const [name, value] of parseDotenv(text, shown(path))) merged[name] ??= value;
    }
  }
  return merged;
}

function dotenvFiles(env: Environment): string[] {
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
