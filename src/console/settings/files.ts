/**
 * Reads the project's settings files and changes values in them. The values of secrets are never returned, and they are
 * masked when a file's text is shown.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, parseTOML } from 'toml-eslint-parser';
import { type SettingsFile, setToml, type TomlValue } from '../../config/index.ts';
import { fileStamp, replaceFile } from '../../kernel/replace-file.ts';
import { ConsoleError } from '../errors.ts';
import type { SettingValue } from './contract.ts';
import { envReference, type SettingRef, secretKey, settingOf } from './known.ts';
import { at, tableOf } from './toml.ts';

export interface Change extends SettingRef {
  /** The new value. Null restores the default. */
  readonly value: TomlValue | null;
}

export interface SettingsFiles {
  read(file: SettingsFile): { readonly text: string; readonly stamp: string };
  /**
   * Returns the value in the file. For a secret, returns `env(NAME)` if that is its value. Otherwise, returns null, and
   * `isSet` indicates whether the secret is set.
   */
  valueOf(text: string, ref: SettingRef): { readonly value: SettingValue | null; readonly isSet: boolean };
  /** Returns the changed text of each file. @throws {ConsoleError} bad_request, conflict */
  changed(changes: readonly Change[], stamps: Readonly<Record<SettingsFile, string>>): Record<string, string>;
  write(texts: Readonly<Record<string, string>>): void;
  /** Undoes a change. `text` and `stamp` are the results of `read` before the change. */
  restore(file: SettingsFile, text: string, stamp: string): void;
}

export function createSettingsFiles(supabaseDir: string): SettingsFiles {
  const pathOf = (file: SettingsFile): string => join(supabaseDir, file);

  function read(file: SettingsFile): { text: string; stamp: string } {
    const stamp = fileStamp(pathOf(file)) ?? '';
    return { text: stamp === '' ? '' : readFileSync(pathOf(file), 'utf8'), stamp };
  }

  return {
    read,
    valueOf(text, ref) {
      const value = at(tableOf(ref.file, text), ref.path) as SettingValue | undefined;
      const isSecret = settingOf(ref)?.type === 'secret' || secretKey.test(ref.path.at(-1) ?? '');
      const mayShow = !isSecret || typeof value !== 'string' || envReference.test(value);
      return { value: mayShow ? (value ?? null) : null, isSet: value !== undefined };
    },
    changed(changes, stamps) {
      for (const name of ['config.json', 'config.jsonc']) {
        if (existsSync(join(supabaseDir, name)))
          throw new ConsoleError('bad_request', {
            message: `The settings are in ${name}. Edit this file manually.`,
          });
      }
      const texts: Record<string, string> = {};
      for (const change of changes) {
        const setting = settingOf(change);
        if (setting === undefined)
          throw new ConsoleError('bad_request', {
            message: `The setting ${change.path.join('.')} doesn't exist.`,
          });
        if (setting.type === 'secret' && change.value !== null && !envReference.test(String(change.value)))
          throw new ConsoleError('bad_request', {
            message: `${change.path.join('.')} is a secret, so it can't be saved in the file.`,
            hint: 'Store it in supabase/.env and enter env(NAME) here.',
          });
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
    write(texts) {
      mkdirSync(supabaseDir, { recursive: true });
      for (const [file, text] of Object.entries(texts))
        replaceFile(pathOf(file as SettingsFile), text, 0o644);
    },
    restore(file, text, stamp) {
      if (stamp === '') rmSync(pathOf(file), { force: true });
      else replaceFile(pathOf(file), text, 0o644);
    },
  };
}

/** Returns the text with every value that might be a secret masked, except `env(NAME)`. */
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
