/**
 * Formats the output of `plinth status` in the formats of upstream's CLI and with its field names. `--override-name`
 * changes names.
 */
import { jsonText, oneLine } from '../../../base/shared/printable.ts';
import { UsageError } from '../command.ts';

export const formats = ['pretty', 'env', 'json', 'yaml', 'toml'] as const;
export type Format = (typeof formats)[number];

/** The keys that `--override-name` accepts, by field. */
export const keysOfFields: Readonly<Record<string, string>> = {
  API_URL: 'api.url',
  REST_URL: 'api.rest_url',
  GRAPHQL_URL: 'api.graphql_url',
  FUNCTIONS_URL: 'api.functions_url',
  STORAGE_S3_URL: 'api.storage_s3_url',
  MCP_URL: 'api.mcp_url',
  DB_URL: 'db.url',
  STUDIO_URL: 'studio.url',
  INBUCKET_URL: 'inbucket.url',
  MAILPIT_URL: 'mailpit.url',
  PUBLISHABLE_KEY: 'auth.publishable_key',
  SECRET_KEY: 'auth.secret_key',
  JWT_SECRET: 'auth.jwt_secret',
  ANON_KEY: 'auth.anon_key',
  SERVICE_ROLE_KEY: 'auth.service_role_key',
  S3_PROTOCOL_ACCESS_KEY_ID: 'storage.s3_access_key_id',
  S3_PROTOCOL_ACCESS_KEY_SECRET: 'storage.s3_secret_access_key',
  S3_PROTOCOL_REGION: 'storage.s3_region',
};

type Fields = Readonly<Record<string, string>>;

/** Returns only the URLs, without passwords. */
export function addressesOf(fields: Fields): Record<string, string> {
  const addresses = Object.entries(fields).filter(([name]) => name.endsWith('_URL'));
  return Object.fromEntries(addresses.map(([name, value]) => [name, withoutPassword(value)]));
}

/**
 * Removes the passwords from a URL: the user's, and the parameters that libpq reads. The URL of a database can have
 * several hosts, so it isn't always a URL that `URL` accepts.
 */
function withoutPassword(url: string): string {
  const [address = '', query] = url.split(/\?(.*)/s);
  const shown = address.replace(/^([a-z]+:\/\/[^:@/]*):[^@/]*@/i, '$1@');
  if (query === undefined) return shown;
  const parameters = query.split('&').filter((parameter) => !/^(ssl)?password=/i.test(parameter));
  return parameters.length === 0 ? shown : `${shown}?${parameters.join('&')}`;
}

/** Formats the fields, sorted by name. `overrides` maps keys such as `api.url` to names. */
export function renderStatus(fields: Fields, format: Format, overrides: ReadonlyMap<string, string>): string {
  if (format === 'pretty') return renderPretty(fields);
  const renamed = Object.entries(fields).map(
    ([name, value]) => [overrides.get(keysOfFields[name] ?? '') ?? name, value] as const,
  );
  const sorted = renamed.sort(([a], [b]) => (a < b ? -1 : 1));
  if (format === 'json') return jsonText(Object.fromEntries(sorted), 2);
  const lines = sorted.map(([name, value]) => {
    if (format === 'yaml') return `${name}: ${yamlScalar(value)}`;
    // In dotenv and TOML, quotes, backslashes and line breaks are escaped as in JSON.
    return format === 'env' ? `${name}=${jsonText(value)}` : `${name} = ${jsonText(value)}`;
  });
  return lines.join('\n');
}

/**
 * Returns the text as a plain scalar if a YAML parser would read this scalar as the same string. Otherwise, returns the
 * text in quotes.
 */
function yamlScalar(value: string): string {
  const plain = /^[A-Za-z_/][\w./@%+=-]*(?::[\w./@%+=-]+)*$/.test(value);
  return plain && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value) ? value : jsonText(value);
}

const groups: readonly (readonly [
  title: string,
  rows: readonly (readonly [label: string, field: string])[],
])[] = [
  [
    'Open',
    [
      ['Example', 'EXAMPLE_URL'],
      ['App API', 'API_URL'],
      ['Console', 'STUDIO_URL'],
      ['Captured emails', 'MAILPIT_URL'],
    ],
  ],
  [
    'Connect',
    [
      ['Database', 'DB_URL'],
      ['Functions', 'FUNCTIONS_URL'],
    ],
  ],
  [
    'Keys',
    [
      ['Publishable', 'PUBLISHABLE_KEY'],
      ['Secret', 'SECRET_KEY'],
    ],
  ],
];

function renderPretty(fields: Fields): string {
  const lines: string[] = [];
  for (const [title, rows] of groups) {
    const present = rows.filter(([, field]) => fields[field] !== undefined);
    if (present.length === 0) continue;
    lines.push(`${lines.length === 0 ? '' : '\n'}${title}`);
    for (const [label, field] of present) lines.push(`  ${label.padEnd(14)} ${fields[field]}`);
  }
  return lines.join('\n');
}

/** Formats results in the output formats of upstream's CLI 3.1 (`-o`). */
export const listFormats = ['pretty', 'json', 'yaml', 'toml'] as const;
type ListFormat = (typeof listFormats)[number];

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
