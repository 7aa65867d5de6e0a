import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { isRecord } from '../../../base/shared/json.ts';
import { type SettingsFile, schemaNames } from '../../../platform/config/index.ts';
import { ConsoleError } from '../errors.ts';

export type Table = Readonly<Record<string, unknown>>;

/** Parses a settings file. Settings have their names in the schema, not their aliases. @throws {ConsoleError} refused if the file isn't valid TOML */
export const tableOf = (file: SettingsFile, text: string): Table =>
  schemaNames(file, writtenTable(file, text));

/** Parses a settings file, and returns the names as the file writes them. @throws {ConsoleError} refused */
export function writtenTable(file: SettingsFile, text: string): Table {
  try {
    return getStaticTOMLValue(parseTOML(text, { tomlVersion: '1.0' })) as Table;
  } catch (error) {
    throw new ConsoleError('refused', {
      message: `${file} can't be read: ${(error as Error).message}`,
      hint: 'Correct the file manually.',
    });
  }
}

export const isTable = (value: unknown): value is Table => isRecord(value);

export const at = (table: Table, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (isTable(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    table,
  );
