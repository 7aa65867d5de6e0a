/**
 * The configuration: one schema and one loader. Only this module reads `process.env`.
 *
 * @example
 * const { config, environment, warnings, supabaseDir } = loadConfig({ projectDir: '/home/ada/app' });
 */
export { setToml, type TomlValue } from './core/edit-toml.ts';
export { nearest } from './core/nearest.ts';
export { ConfigError, type Notice, noticeText } from './core/tree.ts';
export { parseDuration } from './core/values.ts';
export {
  anyName,
  describeNames,
  describeSettings,
  type NamesFacts,
  type SectionFacts,
  type SettingFacts,
} from './describe.ts';
export {
  configFrom,
  defaultConfig,
  type Loaded,
  type LoadOptions,
  loadConfig,
  type PartialConfig,
} from './load.ts';
export type { Config } from './schema/index.ts';

/** The shell's environment, for compositions with separate settings. */
export const shellEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;
export type { SettingsFile } from './schema/settings-file.ts';
