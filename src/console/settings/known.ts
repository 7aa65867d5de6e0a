/** Looks up settings by file and path, including those below names that the user chose. */
import {
  anyName,
  describeNames,
  describeSettings,
  type SettingFacts,
  type SettingsFile,
} from '../../config/index.ts';

export interface Place {
  readonly file: SettingsFile;
  readonly path: readonly string[];
}

/** Keys whose value may be a secret even if the schema doesn't declare it: below user-chosen names, and unknown keys. */
export const secretKey = /secret|password|token|key|pass$|credential/i;
export const sections = describeSettings();
export const names = describeNames();
const known = new Map(
  sections.flatMap(({ settings }) => settings.map((setting) => [keyOf(setting), setting] as const)),
);
const named = names.flatMap(({ settings }) => settings);

function keyOf({ file, path }: Place): string {
  return `${file} ${path.join('.')}`;
}

/** Returns the setting, or undefined if it doesn't exist. */
export const settingOf = (place: Place): SettingFacts | undefined =>
  settingAt(place) ?? named.find(({ file, path }) => file === place.file && fits(place.path, path));

/** Compares the length too, because a part of the path may contain a dot. */
function settingAt(place: Place): SettingFacts | undefined {
  const found = known.get(keyOf(place));
  return found?.path.length === place.path.length ? found : undefined;
}

const fits = (path: readonly string[], pattern: readonly string[]): boolean =>
  path.length === pattern.length &&
  pattern.every((part, index) => part === path[index] || (part === anyName && path[index] !== '__proto__'));

export const envReference = /^env\(\w+\)$/;
