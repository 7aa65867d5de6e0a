/** Finds settings by file and path, including settings under names that the user chose. */
import {
  anyName,
  describeNames,
  describeSettings,
  type SettingFacts,
  type SettingsFile,
} from '../../config/index.ts';

export interface SettingRef {
  readonly file: SettingsFile;
  readonly path: readonly string[];
}

/**
 * Keys whose value might be a secret even though the schema doesn't mark it as one: unknown keys, and keys under names
 * that the user chose.
 */
export const secretKey = /secret|password|token|key|pass$|credential/i;
export const sections = describeSettings();
export const names = describeNames();
const known = new Map(
  sections.flatMap(({ settings }) => settings.map((setting) => [keyOf(setting), setting] as const)),
);
const named = names.flatMap(({ settings }) => settings);

function keyOf({ file, path }: SettingRef): string {
  return `${file} ${path.join('.')}`;
}

/** Returns the setting, or undefined if it doesn't exist. */
export const settingOf = (ref: SettingRef): SettingFacts | undefined =>
  settingAt(ref) ?? named.find(({ file, path }) => file === ref.file && fits(ref.path, path));

/** The length is also compared, because a part of the path can contain a dot. */
function settingAt(ref: SettingRef): SettingFacts | undefined {
  const found = known.get(keyOf(ref));
  return found?.path.length === ref.path.length ? found : undefined;
}

const fits = (path: readonly string[], pattern: readonly string[]): boolean =>
  path.length === pattern.length &&
  pattern.every((part, index) => part === path[index] || (part === anyName && path[index] !== '__proto__'));

/** The group is the name of the environment variable. */
export const envReference = /^env\((\w+)\)$/;
