/**
 * Reads the project's settings files and changes values in these files. Never returns the values of secrets, and masks
 * them in the text of files.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { fileStamp } from '../../../base/kernel/replace-file.ts';
import { readTextFile } from '../../../base/shared/files.ts';
import { anyName, type SettingsFile, setToml, type TomlValue } from '../../../platform/config/index.ts';
import { changedValue, hiddenChange, type RecordedChange } from '../core/changed-values.ts';
import { ConsoleError } from '../errors.ts';
import type { SettingValue } from './contract.ts';
import { envReference, type SettingRef, secretKey, settingOf } from './known.ts';
import { at, tableOf } from './toml.ts';
import { fileWrite, type WriteFile } from './write-files.ts';

export interface Change extends SettingRef {
  /** The new value. Null restores the default by removing the key. */
  readonly value: TomlValue | null;
}

export interface SettingsFiles {
  read(file: SettingsFile): { readonly text: string; readonly stamp: string };
  /**
   * Returns a setting's value in the file. For a secret, the value is returned only if it is an `env(NAME)` reference.
   * Otherwise, the returned value of a secret is null, and `isSet` shows whether the secret is set.
   */
  valueOf(text: string, ref: SettingRef): { readonly value: SettingValue | null; readonly isSet: boolean };
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

export function createSettingsFiles(supabaseDir: string): SettingsFiles {
  const pathOf = (file: SettingsFile): string => join(supabaseDir, file);

  function read(file: SettingsFile): { text: string; stamp: string } {
    const stamp = fileStamp(pathOf(file)) ?? '';
    return { text: stamp === '' ? '' : readTextFile(pathOf(file)), stamp };
  }

  function requireToml(): void {
    for (const name of ['config.json', 'config.jsonc']) {
      if (existsSync(join(supabaseDir, name)))
        throw new ConsoleError('bad_request', {
          message: `The settings are in ${name}. Edit this file manually.`,
        });
    }
  }

  return {
    read,
    valueOf(text, ref) {
      const value = at(tableOf(ref.file, text), ref.path) as SettingValue | undefined;
      const isSecret = settingOf(ref)?.type === 'secret' || secretKey.test(ref.path.at(-1) ?? '');
      const mayShow = !isSecret || typeof value !== 'string' || envReference.test(value);
      return { value: mayShow ? (value ?? null) : null, isSet: value !== undefined };
    },
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
        const { file, path, value } = change;
        texts[file] = setToml(texts[file] ?? read(file).text, path, value ?? undefined);
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
        texts[file] = setToml(texts[file] ?? current.text, change.path, change.value ?? undefined);
      }
      return texts;
    },
    writes: (texts) =>
      Object.entries(texts).map(([file, text]) => fileWrite(pathOf(file as SettingsFile), text)),
  };
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
    const before = files.read(file).text;
    const [from, to] = [before, texts[file] ?? before].map((text) => at(tableOf(file, text), path));
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

const isSecretPath = (path: readonly string[]): boolean =>
  (['config.toml', 'plinth.toml'] as const).some((file) => settingOf({ file, path })?.type === 'secret') ||
  path.some((name) => secretKey.test(name) || name === 'vault' || name === 'env');
