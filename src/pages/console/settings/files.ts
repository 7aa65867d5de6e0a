/**
 * Reads the settings and changes values in the files in which they are saved: in the project's files or, if the server
 * has a layer of saved settings, in the layer's files. Never returns the values of secrets, and masks them in the text
 * of files.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, parseTOML } from 'toml-eslint-parser';
import {
  anyName,
  ConfigError,
  noticeText,
  pathInFile,
  type SettingsFile,
  type SettingsPlace,
  setInLayer,
  setToml,
  settingsTable,
  type TomlValue,
} from '../../../platform/config/index.ts';
import { changedValue, hiddenChange, type RecordedChange } from '../core/changed-values.ts';
import { ConsoleError } from '../errors.ts';
import type { SettingValue } from './contract.ts';
import { envReference, type SettingRef, secretKey, settingOf } from './known.ts';
import { at, type Table, tableOf, writtenTable } from './toml.ts';
import { fileWrite, readIfFile, stampOf, type WriteFile } from './write-files.ts';

export interface Change extends SettingRef {
  /** The new value. Null restores the default. */
  readonly value: TomlValue | null;
  /** Whether the value in the project's file applies again. `value` is then null. */
  readonly usesProject?: true | undefined;
}

export interface ShownValue {
  readonly value: SettingValue | null;
  readonly isSet: boolean;
}

export interface SettingsFiles {
  /** Reads the file in which changes are saved. */
  read(file: SettingsFile): { readonly text: string; readonly stamp: string };
  /**
   * Returns all values, or those that would result from a new text of the file in which changes are saved. With a
   * layer, the values of the project and the layer.
   */
  table(file: SettingsFile, text?: string): Table;
  /** Returns the values in the project's file if the server has a layer. */
  projectTable(file: SettingsFile): Table | undefined;
  /**
   * Returns a function that returns the project's value of a setting if the layer overrides the setting. Otherwise, the
   * function returns null.
   */
  overridden(file: SettingsFile): (ref: SettingRef) => ShownValue | null;
  /**
   * Returns a setting's value. For a secret, the value is returned only if it is an `env(NAME)` reference. Otherwise, the
   * returned value of a secret is null, and `isSet` shows whether the secret is set.
   */
  valueOf(table: Table, ref: SettingRef): ShownValue;
  /**
   * Returns the text of each file after all valid changes have been made, and the errors in the invalid changes.
   * Doesn't check whether someone else has changed the files since they were read.
   * @throws {ConsoleError} bad_request
   */
  tried(changes: readonly Change[]): {
    readonly texts: Record<string, string>;
    readonly faults: { readonly key: string; readonly message: string }[];
  };
  /** Returns the new text of each file that has changed. @throws {ConsoleError} bad_request, conflict */
  changed(changes: readonly Change[], stamps: Readonly<Record<SettingsFile, string>>): Record<string, string>;
  writes(texts: Readonly<Record<string, string>>): WriteFile[];
}

/** Returns the folder of the files in which changes are saved. */
export const folderOf = ({ projectDir, savedDir }: SettingsPlace): string =>
  savedDir ?? join(projectDir, 'supabase');

export function createSettingsFiles(place: SettingsPlace): SettingsFiles {
  const { projectDir, savedDir } = place;
  const pathOf = (file: SettingsFile): string => join(folderOf(place), file);

  function read(file: SettingsFile): { text: string; stamp: string } {
    const text = readIfFile(pathOf(file));
    return { text: text ?? '', stamp: stampOf(text) };
  }

  function merged(file: SettingsFile, text: string): Table {
    try {
      return settingsTable({ projectDir, savedDir, texts: { [file]: text } }, file);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConsoleError('refused', { message: error.faults.map(noticeText).join('\n') });
    }
  }

  const projectTable = (file: SettingsFile) => (savedDir === undefined ? undefined : merged(file, ''));

  function withChange(text: string, { file, path, value, usesProject }: Change): string {
    if (savedDir === undefined) {
      const written = pathInFile(file, writtenTable(file, text), path);
      return setToml(text, written, value ?? undefined);
    }
    const isHidden = value === null && usesProject !== true && at(merged(file, ''), path) !== undefined;
    return setInLayer(text, path, isHidden ? null : (value ?? undefined));
  }

  /** The Console can't change JSON files. A layer consists of TOML files. */
  function requireToml(): void {
    if (savedDir !== undefined) return;
    for (const name of ['config.json', 'config.jsonc']) {
      if (existsSync(join(folderOf(place), name)))
        throw new ConsoleError('bad_request', {
          message: `The settings are in ${name}. Edit this file manually.`,
        });
    }
  }

  return {
    read,
    table: (file, text = read(file).text) =>
      savedDir === undefined ? tableOf(file, text) : merged(file, text),
    projectTable,
    overridden(file) {
      if (savedDir === undefined) return () => null;
      const { text } = read(file);
      const [project, layer, all] = [merged(file, ''), tableOf(file, text), merged(file, text)];
      return (ref) => {
        const isHidden = at(project, ref.path) !== undefined && at(all, ref.path) === undefined;
        return isHidden || at(layer, ref.path) !== undefined ? shownValue(project, ref) : null;
      };
    },
    valueOf: shownValue,
    tried(changes) {
      requireToml();
      const texts: Record<string, string> = {};
      const faults: { key: string; message: string }[] = [];
      for (const change of changes) {
        const fault = faultOf(change);
        if (fault !== undefined) {
          faults.push({ key: change.path.join('.'), message: fault.message });
          continue;
        }
        texts[change.file] = withChange(texts[change.file] ?? read(change.file).text, change);
      }
      return { texts, faults };
    },
    changed(changes, stamps) {
      requireToml();
      const texts: Record<string, string> = {};
      for (const change of changes) {
        const fault = faultOf(change);
        if (fault !== undefined) throw new ConsoleError('bad_request', fault);
        const { file } = change;
        const current = read(file);
        if (current.stamp !== stamps[file])
          throw new ConsoleError('conflict', {
            message: `${file} was changed by another process. Reload it.`,
          });
        texts[file] = withChange(texts[file] ?? current.text, change);
      }
      return texts;
    },
    writes: (texts) =>
      Object.entries(texts).map(([file, text]) =>
        fileWrite(pathOf(file as SettingsFile), text, savedDir === undefined ? 0o644 : 0o600),
      ),
  };
}

function shownValue(table: Table, ref: SettingRef): ShownValue {
  const value = at(table, ref.path) as SettingValue | undefined;
  const isSecret = settingOf(ref)?.type === 'secret' || secretKey.test(ref.path.at(-1) ?? '');
  const mayShow = !isSecret || typeof value !== 'string' || envReference.test(value);
  return { value: mayShow ? (value ?? null) : null, isSet: value !== undefined };
}

/** Returns the reason why a change can't be written to a file, or undefined if it can be written. */
function faultOf(change: Change): { message: string } | undefined {
  const key = change.path.join('.');
  return settingOf(change) === undefined ? { message: `The setting ${key} doesn't exist.` } : undefined;
}

/**
 * Returns the changes to record in the audit log. Every operator can read the audit log, so the result must not contain
 * secrets.
 */
export function recordedChanges(
  files: SettingsFiles,
  changes: readonly Change[],
  texts: Readonly<Record<string, string>>,
): RecordedChange[] {
  return changes.map(({ file, path }) => {
    const [from, to] = [undefined, texts[file]].map((text) => at(files.table(file, text), path));
    const name = path.join('.');
    return mayHoldSecret({ file, path })
      ? hiddenChange(name, from !== undefined, to !== undefined)
      : changedValue(name, from, to);
  });
}

/** Types whose values are numbers or come from a fixed set, so that the values can't be secrets. */
const plainTypes: readonly string[] = ['boolean', 'integer', 'port', 'enum', 'duration', 'size'];

/**
 * A text in a table with user-chosen names can be a secret of any kind, such as the fixed code for a test phone number.
 */
function mayHoldSecret(ref: SettingRef): boolean {
  const setting = settingOf(ref);
  if (setting === undefined || setting.type === 'secret' || setting.type === 'any') return true;
  if (plainTypes.includes(setting.type)) return false;
  return setting.path.at(-1) === anyName || isSecretPath(ref.path);
}

/** Returns the text with all values that might be secrets masked, except `env(NAME)` references. */
export function masked(text: string): string {
  const ranges: [number, number][] = [];
  const visit = (
    names: readonly string[],
    node: AST.TOMLContentNode | AST.TOMLTable | AST.TOMLKeyValue,
  ): void => {
    if (node.type === 'TOMLTable' || node.type === 'TOMLKeyValue') {
      const own = [
        ...names,
        ...node.key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value)),
      ];
      if (node.type === 'TOMLTable') for (const pair of node.body) visit(own, pair);
      else visit(own, node.value);
    } else if (node.type === 'TOMLInlineTable') for (const pair of node.body) visit(names, pair);
    else if (node.type === 'TOMLArray') for (const element of node.elements) visit(names, element);
    else if (node.kind === 'string' && isSecretPath(names) && !envReference.test(String(node.value)))
      ranges.push([node.range[0], node.range[1]]);
  };
  for (const item of parseTOML(text, { tomlVersion: '1.0' }).body[0].body) visit([], item);
  return ranges
    .sort(([left], [right]) => right - left)
    .reduce((shown, [start, end]) => `${shown.slice(0, start)}"••••••"${shown.slice(end)}`, text);
}

function isSecretPath(path: readonly string[]): boolean {
  const types = (['config.toml', 'plinth.toml'] as const).map(
    (file) => settingOf({ file, path })?.type ?? '',
  );
  if (types.includes('secret')) return true;
  if (types.some((type) => plainTypes.includes(type))) return false;
  return path.some((name) => secretKey.test(name) || name === 'vault' || name === 'env');
}
