/** Finds settings by file and path, including settings in tables with user-chosen names. */
import {
  anyName,
  describeNames,
  describeSettings,
  type SettingFacts,
  type SettingsFile,
} from '../../../platform/config/index.ts';

export interface SettingRef {
  readonly file: SettingsFile;
  readonly path: readonly string[];
}

/**
 * Keys whose value might be a secret even though the schema doesn't mark them as secrets: unknown keys, and keys in
 * tables with user-chosen names.
 */
export const secretKey = /secret|password|token|key|pass$|credential/i;

/**
 * All settings. The settings are described on first use, because describing them takes longer than loading this file.
 */
let described: ReturnType<typeof describeAll> | undefined;

function describeAll() {
  const sections = describeSettings();
  const names = describeNames();
  return {
    sections,
    names,
    known: new Map(
      sections.flatMap(({ settings }) => settings.map((setting) => [keyOf(setting), setting] as const)),
    ),
    named: names.flatMap(({ settings }) => settings),
  };
}

export function allSettings() {
  described ??= describeAll();
  return described;
}

function keyOf({ file, path }: SettingRef): string {
  return `${file} ${path.join('.')}`;
}

/** Returns the setting, or undefined if the path isn't the path of a setting. */
export const settingOf = (ref: SettingRef): SettingFacts | undefined =>
  settingAt(ref) ?? allSettings().named.find(({ file, path }) => file === ref.file && fits(ref.path, path));

/**
 * Returns a setting whose path contains no user-chosen names. The lengths are compared because a part of the path can
 * contain a dot.
 */
function settingAt(ref: SettingRef): SettingFacts | undefined {
  const found = allSettings().known.get(keyOf(ref));
  return found?.path.length === ref.path.length ? found : undefined;
}

const fits = (path: readonly string[], pattern: readonly string[]): boolean =>
  path.length === pattern.length &&
  pattern.every((part, index) => part === path[index] || (part === anyName && path[index] !== '__proto__'));

/** The capturing group contains the name of the environment variable. */
export const envReference = /^env\((\w+)\)$/;
