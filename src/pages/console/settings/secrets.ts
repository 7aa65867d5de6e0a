/**
 * Writes secrets to the `.env` file beside the settings file when owners enter them. The settings file then contains only
 * the name of the variable, so it can be committed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreFiles, isInGit } from '../../../base/kernel/replace-file.ts';
import {
  ConfigError,
  dependentVariables,
  maskDotenv,
  noticeText,
  parseDotenv,
  type SettingsPlace,
  setDotenv,
  shownIn,
} from '../../../platform/config/index.ts';
import { ConsoleError } from '../errors.ts';
import { type Change, folderOf, type SettingsFiles } from './files.ts';
import { envReference, type SettingRef, settingOf } from './known.ts';
import { tableOf } from './toml.ts';
import { readIfFile, writeFile } from './write-files.ts';

/**
 * The new text of the `.env` file, and the variables that have changed. Variables with the value undefined are removed.
 */
export interface SecretsEdit {
  readonly before: string;
  readonly text: string;
  readonly variables: ReadonlyMap<string, string | undefined>;
}

interface SecretFiles {
  /**
   * Replaces secrets in the changes with references to variables. The edit is undefined if none of the variables
   * change.
   * @throws {ConsoleError} bad_request
   */
  extract(changes: readonly Change[]): { readonly changes: Change[]; readonly edit: SecretsEdit | undefined };
  /**
   * Writes the `.env` file and makes Git ignore it. Returns a function that restores the file.
   * @throws {ConsoleError} refused
   */
  write(edit: SecretsEdit): () => void;
}

export function createSecretFiles(place: SettingsPlace, files: SettingsFiles): SecretFiles {
  const folder = folderOf(place);
  const path = join(folder, secretsFile);
  const shown = shownIn(place.projectDir)(path);

  return {
    extract(changes) {
      const isSecret = (change: Change): boolean =>
        settingOf(change)?.type === 'secret' &&
        change.value !== '' &&
        !envReference.test(String(change.value));
      if (!changes.some(isSecret)) return { changes: [...changes], edit: undefined };
      const before = readIfFile(path) ?? '';
      try {
        const names = createSecretNames(files, changes, before);
        const variables = new Map<string, string | undefined>();
        const extracted = changes.map((change): Change => {
          if (!isSecret(change)) return change;
          const { value } = change;
          if (value === null) {
            const unneeded = names.unneeded(change);
            if (unneeded !== undefined) variables.set(unneeded, undefined);
            return change;
          }
          const name = names.assign(change);
          variables.set(name, String(value));
          return { ...change, value: `env(${name})` };
        });
        if (variables.size === 0) return { changes: extracted, edit: undefined };
        let text = before;
        for (const [name, value] of variables) text = setDotenv(text, secretsFile, name, value);
        return { changes: extracted, edit: { before, text, variables } };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new ConsoleError('bad_request', { message: error.faults.map(noticeText).join('\n') });
      }
    },
    write({ text, variables }) {
      try {
        mkdirSync(folder, { recursive: true });
        // Git already ignores the layer, because it ignores the data folder.
        if (place.savedDir === undefined && isInGit(folder)) ignoreFiles(folder, [secretsFile]);
        return writeFile(path, text, 0o600);
      } catch (error) {
        throw new ConsoleError(
          'refused',
          {
            message: `${shown} can't be written: ${(error as Error).message}`,
            hint: `Set ${[...variables.keys()].join(' and ')} in the server's environment, and refer to it with env() here.`,
          },
          { cause: error },
        );
      }
    },
  };
}

/** Returns the new texts of the changed files, including the `.env` file. */
export const withSecrets = (
  texts: Readonly<Record<string, string>>,
  edit: SecretsEdit | undefined,
): Readonly<Record<string, string>> => (edit === undefined ? texts : { ...texts, [secretsFile]: edit.text });

/**
 * Checks that the values in the `.env` file take effect.
 *
 * @throws {ConsoleError} refused if the server would use a different value
 */
export function requireEffect(
  edit: SecretsEdit | undefined,
  environment: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of edit?.variables ?? [])
    if (value !== undefined && environment[name] !== value)
      throw new ConsoleError('refused', {
        message: `The environment of the server or another .env file already sets ${name}, so a value entered here would have no effect.`,
        hint: `Change ${name} there.`,
      });
}

/** Returns the texts before and after the edit, with the values masked. The masks show which values have changed. */
export function maskedSecrets({ before, text, variables }: SecretsEdit): [before: string, after: string] {
  const hidden = "'••••••'";
  return [
    maskDotenv(before, secretsFile, () => hidden),
    maskDotenv(text, secretsFile, (key) => (variables.has(key) ? "'•••••• (new value)'" : hidden)),
  ];
}

/**
 * Chooses the names of the variables that contain secrets in the `.env` file. Two settings never share a variable.
 */
export const secretsFile = '.env';

interface SecretNames {
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
 * @param dotenv the text of the `.env` file
 * @throws {ConfigError} if the text isn't a valid dotenv file
 */
function createSecretNames(files: SettingsFiles, changes: readonly Change[], dotenv: string): SecretNames {
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
  const take = (value: unknown): void => {
    const name = envReference.exec(String(value))?.[1];
    if (name !== undefined) taken.add(name);
  };
  for (const { value } of changes) for (const text of [value].flat()) take(text);
  // A layer's variable would also replace the variable of the same name that the project's files refer to.
  for (const file of ['config.toml', 'plinth.toml'] as const)
    for (const [, value] of stringsIn(files.projectTable(file))) take(value);
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
