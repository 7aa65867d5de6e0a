/**
 * Converts raw settings to typed values. Each setting is read from the first source that contains it: the database, the
 * environment or the file. The module has no side effects.
 */
import { nearest } from '../../platform/config/index.ts';
import type { FileValue } from './config-file.ts';
import {
  APP_SETTINGS,
  databaseName,
  environmentName,
  type Key,
  type Setting,
  settingKeys,
  settingOf,
} from './settings-table.ts';

export type Value = string | number | boolean | readonly string[] | undefined;
export type Values = ReadonlyMap<Key, Value>;

export interface Sources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: ReadonlyMap<string, FileValue>;
  /** The `pgrst.*` settings, each with its full name as the key. */
  readonly database: ReadonlyMap<string, string>;
}

export interface Read {
  readonly values: Values;
  readonly appSettings: readonly (readonly [string, string])[];
  /** The error messages. Each message explains how to fix the error. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

export function readValues(sources: Sources): Read {
  const values = new Map<Key, Value>();
  const faults: string[] = [];
  for (const key of settingKeys) {
    const setting = settingOf(key);
    const written = find(key, setting, sources);
    const value = convert(written?.value ?? setting.default, setting.kind);
    if (typeof value === 'object' && 'fault' in value) {
      faults.push(`${key} (${written?.from}): ${JSON.stringify(written?.value)} ${value.fault}.`);
      values.set(key, undefined);
    } else values.set(key, value);
  }
  return { values, appSettings: readAppSettings(sources), faults, warnings: unknownNames(sources) };
}

interface Written {
  readonly value: FileValue;
  /** The source of the setting, such as a file or a variable, for error messages. */
  readonly from: string;
}

function find(key: Key, setting: Setting, sources: Sources): Written | undefined {
  const found = findByName(key, setting, sources);
  return found ?? (setting.alias === undefined ? undefined : findByName(setting.alias, setting, sources));
}

function findByName(
  name: string,
  setting: Setting,
  { database, environment, file }: Sources,
): Written | undefined {
  const inDatabase = setting.inDatabase === true ? database.get(databaseName(name)) : undefined;
  const variable = environmentName(name);
  const written: Written | undefined =
    inDatabase !== undefined
      ? { value: inDatabase, from: `${databaseName(name)} in the database` }
      : environment[variable] !== undefined
        ? { value: environment[variable], from: variable }
        : file.has(name)
          ? { value: file.get(name) as FileValue, from: `${name} in the file` }
          : undefined;
  // An empty string is handled like an unset setting, unless an empty list is meaningful for the setting.
  return written?.value === '' && name !== 'db-extra-search-path' ? undefined : written;
}

const TRUE = /^\W*true\W*$/i;
const FALSE = /^\W*false\W*$/i;

/**
 * Converts a value to its type. If the value is invalid, returns a fault, which is the text that follows the value in
 * the error message, such as "must be true or false".
 */
function convert(written: FileValue | undefined, kind: Setting['kind']): Value | { readonly fault: string } {
  if (written === undefined) return undefined;
  const text = String(written);
  switch (kind.is) {
    case 'text':
      return text;
    case 'list':
      return text === '' ? [] : text.split(',').map((item) => item.trim());
    case 'boolean':
      if (TRUE.test(text)) return true;
      if (FALSE.test(text)) return false;
      if (/^-?\d+$/.test(text)) return Number(text) > 0;
      return { fault: 'must be true or false' };
    case 'integer': {
      const number = /^\s*-?\d+\s*$/.test(text) ? Number(text) : Number.NaN;
      const { from, to } = kind;
      if (number >= from && number <= (to ?? Number.MAX_SAFE_INTEGER)) return number;
      const range = to === undefined ? `${from} or more` : `from ${from} to ${to}`;
      return { fault: `must be a whole number ${range}` };
    }
    case 'choice':
      return kind.of.includes(text) ? text : { fault: `must be one of ${kind.of.join(', ')}` };
    case 'mode': {
      const octal = /^[0-7]{3}$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
      if (octal >= 0o600 && octal <= 0o777) return text;
      return { fault: 'must be a file mode, an octal number between 600 and 777, such as "660"' };
    }
  }
}

function readAppSettings({ environment, file }: Sources): (readonly [string, string])[] {
  const found = new Map<string, string>();
  for (const [name, value] of file) if (name.startsWith(APP_SETTINGS.prefix)) found.set(name, String(value));
  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || !variable.startsWith(APP_SETTINGS.environmentPrefix)) continue;
    found.set(`${APP_SETTINGS.prefix}${variable.slice(APP_SETTINGS.environmentPrefix.length)}`, value);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns warnings about unknown settings, which are usually typos. */
function unknownNames({ environment, file }: Sources): string[] {
  const names = settingKeys.flatMap((key) => [key, settingOf(key).alias ?? key]);
  const known = new Set<string>(names);
  const variables = new Set(names.map(environmentName));
  const inFile = [...file.keys()].filter((name) => !known.has(name) && !name.startsWith(APP_SETTINGS.prefix));
  const inEnvironment = Object.keys(environment).filter(
    (name) =>
      name.startsWith('PGRST_') && !variables.has(name) && !name.startsWith(APP_SETTINGS.environmentPrefix),
  );
  return [
    ...inFile.map((name) => unknown(`${name} in the file`, nearest(name, known))),
    ...inEnvironment.map((name) => unknown(name, nearest(name, variables))),
  ];
}

const unknown = (where: string, near: string | undefined): string =>
  `${where} isn't a setting and has no effect${near === undefined ? '.' : `; did you mean ${near}?`}`;
