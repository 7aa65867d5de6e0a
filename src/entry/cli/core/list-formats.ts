/** Formats results in the output formats of upstream's CLI 3.1 (`-o`). */
import { jsonText, oneLine } from '../../../base/shared/printable.ts';
import { UsageError } from '../command.ts';
import { yamlScalar } from './status-formats.ts';

export const listFormats = ['pretty', 'json', 'yaml', 'toml'] as const;
export type ListFormat = (typeof listFormats)[number];

/** Parses the output format. @throws {UsageError} */
export function listFormatOf(text: string | undefined): ListFormat {
  const format = listFormats.find((each) => each === (text ?? 'pretty'));
  if (format === undefined)
    throw new UsageError(`--output: ${text} isn't supported here; use one of ${listFormats.join(', ')}`);
  return format;
}

/**
 * Formats a list. As in upstream's CLI, JSON contains the field names unchanged, YAML contains them without
 * underscores, and TOML contains them in Pascal case.
 * @param key the key of the list in TOML, in which the top level can't be a list
 * @param table the column titles and the cells for the format `pretty`
 */
export function renderList(
  rows: readonly object[],
  format: ListFormat,
  key: string,
  table: readonly (readonly string[])[],
): string {
  if (format === 'pretty') return renderTable(table);
  if (format === 'json') return renderValue(rows.map(sorted), format);
  if (format === 'yaml')
    return renderValue(
      rows.map((row) => renamed(row, yamlName)),
      format,
    );
  return renderValue({ [key]: rows.map((row) => renamed(row, tomlName)) }, format);
}

const sorted = (row: object): object => renamed(row, (name) => name);
const renamed = (row: object, rename: (name: string) => string): object =>
  Object.fromEntries(
    Object.entries(row)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [rename(name), value]),
  );
const yamlName = (name: string): string => name.replaceAll('_', '');
const tomlName = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());

export function renderValue(value: object, format: Exclude<ListFormat, 'pretty'>): string {
  if (format === 'json') return jsonText(value, 2);
  return format === 'yaml' ? yaml(value, '').trim() : toml(value);
}

/** Formats a table exactly as upstream's CLI 3.1 does, including trailing spaces. */
export function renderTable(given: readonly (readonly string[])[]): string {
  const table = given.map((cells) => cells.map(oneLine));
  const widths = (table[0] ?? []).map((_title, index) =>
    Math.max(...table.map((cells) => [...(cells[index] ?? '')].length)),
  );
  const line = (cells: readonly string[]): string =>
    `   ${cells
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - [...cell].length))
      .join(' | ')} `;
  const [titles = [], ...rows] = table;
  const rule = `  ${widths.map((width) => '-'.repeat(width + 2)).join('|')}`;
  return ['', '  ', line(titles), rule, ...rows.map(line), ''].join('\n');
}

const definedIn = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, each]) => each !== undefined);
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Formats a value as YAML. Empty lists and objects have the same format as in JSON. */
function yaml(value: unknown, indent: string): string {
  if (typeof value === 'string') return ` ${yamlScalar(value)}\n`;
  if (!isObject(value) || Object.keys(value).length === 0) return ` ${jsonText(value)}\n`;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => `${indent}-${nested(item, inner)}`)
    : definedIn(value).map(([name, each]) => `${indent}${yamlScalar(name)}:${yaml(each, inner)}`);
  return `\n${lines.join('')}`;
}

/** Puts the first field of a list item on the same line as the dash. */
const nested = (item: unknown, indent: string): string => yaml(item, indent).replace(/^\n\s+/, ' ');

/**
 * Formats an object as TOML. Nested values become inline tables and arrays. Null fields are omitted because TOML
 * doesn't support null.
 */
function toml(value: object): string {
  const entries = definedIn(value).filter(([, each]) => each !== null);
  const lists = entries.filter(([, each]) => Array.isArray(each) && each.length > 0 && each.every(isObject));
  const others = entries.filter((entry) => !lists.includes(entry));
  const lines = others.map(([name, each]) => `${tomlKey(name)} = ${tomlValue(each)}`);
  const tables = lists.flatMap(([name, items]) =>
    (items as object[]).map((item) => {
      const fields = definedIn(item).filter(([, each]) => each !== null);
      return [
        `[[${tomlKey(name)}]]`,
        ...fields.map(([field, each]) => `${tomlKey(field)} = ${tomlValue(each)}`),
      ].join('\n');
    }),
  );
  return [...(lines.length > 0 ? [lines.join('\n')] : []), ...tables].join('\n\n');
}

const tomlKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : jsonText(name));

function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (!isObject(value)) return jsonText(value);
  const fields = definedIn(value).filter(([, each]) => each !== null);
  return fields.length === 0
    ? '{}'
    : `{ ${fields.map(([name, each]) => `${tomlKey(name)} = ${tomlValue(each)}`).join(', ')} }`;
}
