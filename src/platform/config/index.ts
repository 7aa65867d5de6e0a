/**
 * Provides the configuration. There is one schema and one function that loads the configuration. In the server, only
 * the `config` and `packages` modules read `process.env`.
 *
 * @example
 * const { config, environment, warnings, supabaseDir } = loadConfig({ projectDir: '/home/ada/app' });
 */
export { type Changes, compareConfigs, type NeedsRestart } from './core/changes.ts';
export { dependentVariables, maskDotenv, parseDotenv, setDotenv } from './core/dotenv.ts';
export { setToml, type TomlValue } from './core/edit-toml.ts';
export { setInLayer } from './core/layer.ts';
export { nearest } from './core/nearest.ts';
export { type Overrides, savedPrefix, savedTemplates } from './core/resolve.ts';
export { ConfigError, type Notice, noticeText } from './core/tree.ts';
export { parseDuration } from './core/values.ts';
export {
  anyName,
  describeNames,
  describePages,
  describeSettings,
  type NamesFacts,
  type PageFacts,
  type PartFacts,
  type SectionFacts,
  type SettingFacts,
} from './describe.ts';
export {
  pathInFile,
  type SettingsPlace,
  type SettingsSource,
  savedDirOf,
  savedFiles,
  savedFolder,
  schemaNames,
  settingsFiles,
  settingsTable,
  shownIn,
} from './files.ts';
export {
  createLiveConfig,
  type FilesState,
  type LiveConfig,
  type LiveConfigOwner,
  readFilesState,
} from './live.ts';
export {
  configFrom,
  defaultConfig,
  type Loaded,
  type LoadOptions,
  loadConfig,
  type PartialConfig,
} from './load.ts';
export type { Config } from './schema/index.ts';

/** Returns the shell's environment variables, for commands whose settings aren't in the schema. */
export const shellEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;
export type { SettingsFile } from './schema/define.ts';
