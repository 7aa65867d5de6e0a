/** Chooses the names of the variables that contain secrets in `supabase/.env`. Two settings never share a variable. */
import { dependentVariables, parseDotenv } from '../../../platform/config/index.ts';
import type { Change, SettingsFiles } from './files.ts';
import { envReference, type SettingRef } from './known.ts';
import { tableOf } from './toml.ts';

export const secretsFile = '.env';

export interface SecretNames {
  /**
   * Returns the name of the variable for a secret's new value. The variable is the one that the setting already refers
   * to, or a new one if the existing variable is also used elsewhere.
   */
  assign(setting: SettingRef): string;
  /**
   * Returns the variable that was created for the setting, or undefined if no variable was created or the variable is
   * also used elsewhere.
   */
  unneeded(setting: SettingRef): string | undefined;
}

/**
 * @param dotenv the text of `supabase/.env`
 * @throws {ConfigError} if the text isn't a valid dotenv file
 */
export function createSecretNames(
  files: SettingsFiles,
  changes: readonly Change[],
  dotenv: string,
): SecretNames {
  const changed = new Set(changes.map(idOf));
  const referredTo = new Map<string, string>();
  /** The variables that other settings refer to, and the variables that have been assigned to a setting. */
  const taken = new Set<string>();
  const refer = (id: string, value: unknown): void => {
    const name = envReference.exec(String(value))?.[1];
    if (name === undefined) return;
    if (changed.has(id)) referredTo.set(id, name);
    else taken.add(name);
  };
  for (const file of ['config.toml', 'plinth.toml'] as const)
    for (const [path, value] of stringsIn(tableOf(file, files.read(file).text)))
      refer(idOf({ file, path }), value);
  for (const { value } of changes) {
    for (const text of [value].flat()) {
      const name = envReference.exec(String(text))?.[1];
      if (name !== undefined) taken.add(name);
    }
  }
  const existing = parseDotenv(dotenv, secretsFile);

  const isUsedElsewhere = (name: string, id: string): boolean =>
    taken.has(name) ||
    [...referredTo].some(([other, theirs]) => other !== id && theirs === name) ||
    dependentVariables(dotenv, secretsFile, name).length > 0;

  return {
    assign(setting) {
      const id = idOf(setting);
      const current = referredTo.get(id);
      let name = current;
      if (name === undefined || /^\d/.test(name) || isUsedElsewhere(name, id)) {
        const base = baseOf(setting);
        name = base;
        for (let number = 2; existing.has(name) || isUsedElsewhere(name, ''); number++)
          name = `${base}_${number}`;
      }
      taken.add(name);
      return name;
    },
    unneeded(setting) {
      const id = idOf(setting);
      const name = referredTo.get(id);
      if (name === undefined || !isNumbered(name, baseOf(setting)) || isUsedElsewhere(name, id))
        return undefined;
      return name;
    },
  };
}

const idOf = ({ file, path }: SettingRef): string => JSON.stringify([file, path]);

/** Returns all strings in a table, each with its path. The path of a list's elements is the path of the list. */
function* stringsIn(
  value: unknown,
  path: readonly string[] = [],
): Generator<readonly [path: readonly string[], value: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value)) for (const element of value) yield* stringsIn(element, path);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) yield* stringsIn(inner, [...path, name]);
}

/**
 * Returns a variable name for a setting. Different settings, such as `a-b` and `a_b`, can get the same name. The name
 * has no prefix, because a variable with the prefix for settings would override the settings file.
 */
const baseOf = ({ path }: SettingRef): string =>
  path
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]/g, '_')
    .replace(/^(?=\d)/, '_');

const isNumbered = (name: string, base: string): boolean =>
  name === base || (name.startsWith(`${base}_`) && /^\d+$/.test(name.slice(base.length + 1)));
