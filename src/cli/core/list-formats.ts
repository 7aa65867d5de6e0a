/** Prints results in the formats of upstream's CLI 3.1 (`-o`). */
import { UsageError } from '../command.ts';

export const listFormats = ['pretty', 'json', 'yaml', 'toml'] as const;
export type ListFormat = (typeof listFormats)[number];

/** @throws {UsageError} */
export function listFormatOf(text: string | undefined): ListFormat {
  const format = listFormats.find((each) => each === (text ?? 'pretty'));
  if (format === undefined)
    throw new UsageError(`--output: ${text} isn't supported here; use one of ${listFormats.join(', ')}`);
  return format;
}

/**
 * @param key the key of the list in TOML, which has no lists at the top level
 * @param table the column titles and the cells for `pretty`
 */
export function renderList(
  rows: readonly object[],
  format: ListFormat,
  key: string,
  table: readonly (readonly string[])[],
): string {
  if (format === 'pretty') return renderTable(table);
  return renderValue(format === 'toml' ? { [key]: rows } : rows, format);
}

export function renderValue(value: object, format: Exclude<ListFormat, 'pretty'>): string {
  if (format === 'json') return JSON.stringify(value, null, 2);
  return format === 'yaml' ? yaml(value, '').trim() : toml(value);
}

/** Sets the cells apart with `|`, below titles that are underlined. */
export function renderTable(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_title, index) =>
    Math.max(...table.map((cells) => [...(cells[index] ?? '')].length)),
  );
  const line = (cells: readonly string[]): string =>
    `   ${cells
      .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - [...cell].length))
      .join(' | ')}`.trimEnd();
  const [titles = [], ...rows] = table;
  const rule = `  ${widths.map((width) => '-'.repeat(width + 2)).join('|')}`;
  return ['', line(titles), rule, ...rows.map(line), ''].join('\n');
}

const definedIn = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, each]) => each !== undefined);
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Strings are quoted as in JSON, which is valid YAML. An empty list or object is written as in JSON, too. */
function yaml(value: unknown, indent: string): string {
  if (!isObject(value) || Object.keys(value).length === 0) return ` ${JSON.stringify(value)}\n`;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => `${indent}-${nested(item, inner)}`)
    : definedIn(value).map(([name, each]) => `${indent}${JSON.stringify(name)}:${yaml(each, inner)}`);
  return `\n${lines.join('')}`;
}

/** The first field of an item is on the line of its dash. */
const nested = (item: unknown, indent: string): string => yaml(item, indent).replace(/^\n\s+/, ' ');

/** Nested values are written as inline tables and arrays. TOML has no null, so such fields are left out. */
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

const tomlKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = definedIn(value).filter(([, each]) => each !== null);
  return fields.length === 0
    ? '{}'
    : `{ ${fields.map(([name, each]) => `${tomlKey(name)} = ${tomlValue(each)}`).join(', ')} }`;
}
