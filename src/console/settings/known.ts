/** Which settings there are, by their place; the user's own names included. */
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

/** Keys whose value may be a secret, whatever the schema says: tables of names, and what is not known. */
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

/** Undefined: there is no such setting. */
export const settingOf = (place: Place): SettingFacts | undefined =>
  settingAt(place) ?? named.find(({ file, path }) => file === place.file && fits(place.path, path));

/** A dot within a part of the path names another place. */
function settingAt(place: Place): SettingFacts | undefined {
  const found = known.get(keyOf(place));
  return found?.path.length === place.path.length ? found : undefined;
}

const fits = (path: readonly string[], pattern: readonly string[]): boolean =>
  path.length === pattern.length &&
  pattern.every((part, index) => part === path[index] || (part === anyName && path[index] !== '__proto__'));

export const envReference = /^env\(\w+\)$/;
