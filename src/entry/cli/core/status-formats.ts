/**
 * Formats the output of `plinth status` in the formats of upstream's CLI and with its field names. `--override-name`
 * changes names.
 */
import { jsonText } from '../../../base/shared/printable.ts';

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
export function yamlScalar(value: string): string {
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
