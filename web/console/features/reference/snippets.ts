/** Generates code samples for tables and functions, for the official clients, curl and SQL. */
import type { Column } from '../../api/types.ts';
import type { ExposedFunction } from './api.ts';
import { type Call, inDart, inKotlin, inPython, inSwift } from './clients.ts';
import type { Request } from './request.ts';

export const operations = ['select', 'insert', 'update', 'delete'] as const;
export type Operation = (typeof operations)[number];

export interface Snippet {
  readonly label: 'supabase-js' | 'Dart' | 'Swift' | 'Kotlin' | 'Python' | 'curl' | 'SQL';
  readonly text: string;
}

export interface Usage {
  readonly request: Request;
  readonly snippets: readonly Snippet[];
}

export interface Address {
  readonly url: string;
  readonly key: string;
}

export interface QualifiedName {
  /** Undefined for the default schema. */
  readonly schema: string | undefined;
  readonly name: string;
}

const jsText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const inPath = (name: string): string => encodeURIComponent(name).replaceAll("'", '%27');

/**
 * Returns an example row with a value for each required column. If no column is required, the row contains the first
 * column that accepts a value.
 */
export function sampleRow(columns: readonly Column[]): Record<string, unknown> {
  const open = columns.filter(({ generated, identity }) => !generated && identity === null);
  const needed = open.filter((column) => !column.nullable && column.default === null);
  const chosen = needed.length > 0 ? needed : open.slice(0, 1);
  return Object.fromEntries(chosen.map((column) => [column.name, sampleOf(column.type, column.enum_values)]));
}

export function sampleOf(type: string, values: readonly string[] | null = null): unknown {
  if (values !== null && values.length > 0) return values[0];
  if (type.endsWith('[]')) return [];
  if (/^(smallint|integer|bigint|numeric|real|double)/.test(type)) return 1;
  if (type === 'boolean') return true;
  if (type === 'uuid') return '00000000-0000-0000-0000-000000000000';
  if (type.startsWith('json')) return {};
  if (type.startsWith('timestamp')) return '2026-01-31T12:00:00Z';
  if (type === 'date') return '2026-01-31';
  return 'text';
}

/**
 * Generates code samples for a table. `key` is the column that identifies a row.
 * @example usageOf('select', { schema: undefined, name: 'tasks' }, columns, address).snippets[0].text
 */
export function usageOf(
  operation: Operation,
  { schema, name }: QualifiedName,
  columns: readonly Column[],
  address: Address,
): Usage {
  const key = columns.find((column) => column.primary_key) ?? columns[0];
  const keyName = key?.name ?? 'id';
  const keyValue = sampleOf(key?.type ?? '', key?.enum_values ?? null);
  const row = sampleRow(columns.filter((column) => operation !== 'update' || column !== key));
  const filter = `${inPath(keyName)}=eq.${inPath(String(keyValue))}`;
  const from = `${clientOf(schema)}\n  .from(${jsText(name)})`;
  const eq = `\n  .eq(${jsText(keyName)}, ${jsValue(keyValue)})`;
  const table = `${identifier(schema ?? 'public')}.${identifier(name)}`;
  const inSchema = schema === undefined ? {} : { schema };
  switch (operation) {
    case 'select': {
      const request: Request = { method: 'GET', path: `${inPath(name)}?select=*&limit=10`, ...inSchema };
      const script = `const { data, error } = ${from}\n  .select()\n  .limit(10);`;
      return usage({ request, script }, { kind: 'select', schema, name }, address, {
        label: 'SQL',
        text: `select * from ${table} limit 10;`,
      });
    }
    case 'insert': {
      const request: Request = { method: 'POST', path: inPath(name), body: json(row), ...inSchema };
      return usage(
        { request, script: `const { data, error } = ${from}\n  .insert(${jsValue(row)})\n  .select();` },
        { kind: 'insert', schema, name, row },
        address,
      );
    }
    case 'update': {
      const request: Request = {
        method: 'PATCH',
        path: `${inPath(name)}?${filter}`,
        body: json(row),
        ...inSchema,
      };
      return usage(
        { request, script: `const { data, error } = ${from}\n  .update(${jsValue(row)})${eq}\n  .select();` },
        { kind: 'update', schema, name, row, key: [keyName, keyValue] },
        address,
      );
    }
    case 'delete': {
      const request: Request = { method: 'DELETE', path: `${inPath(name)}?${filter}`, ...inSchema };
      const script = `const { error } = ${from}\n  .delete()${eq};`;
      return usage({ request, script }, { kind: 'delete', schema, name, key: [keyName, keyValue] }, address);
    }
  }
}

/** Generates code samples for a function. `schema` is undefined for the default schema. */
export function callOf(
  { name, arguments: all }: Pick<ExposedFunction, 'name' | 'arguments'>,
  schema: string | undefined,
  address: Address,
): Usage {
  const needed = all.filter(({ required }) => required);
  const given = Object.fromEntries(needed.map((each) => [each.name, sampleOf(each.type)]));
  const args = needed.length === 0 ? '' : `, ${jsValue(given)}`;
  const request: Request = {
    method: 'POST',
    path: `rpc/${inPath(name)}`,
    body: json(given),
    ...(schema === undefined ? {} : { schema }),
  };
  return usage(
    { request, script: `const { data, error } = ${clientOf(schema)}\n  .rpc(${jsText(name)}${args});` },
    { kind: 'rpc', schema, name, args: given },
    address,
  );
}

const clientOf = (schema: string | undefined): string =>
  `await supabase${schema === undefined ? '' : `\n  .schema(${jsText(schema)})`}`;

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Formats a value as a JavaScript expression. Property names are quoted only where necessary. */
function jsValue(value: unknown): string {
  if (typeof value === 'string') return jsText(value);
  if (Array.isArray(value)) return `[${value.map(jsValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : jsText(name)}: ${jsValue(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function usage(
  { request, script }: { readonly request: Request; readonly script: string },
  call: Call,
  address: Address,
  ...more: Snippet[]
): Usage {
  return {
    request,
    snippets: [
      { label: 'supabase-js', text: script },
      { label: 'Dart', text: inDart(call) },
      { label: 'Swift', text: inSwift(call) },
      { label: 'Kotlin', text: inKotlin(call) },
      { label: 'Python', text: inPython(call) },
      { label: 'curl', text: curl(request, address) },
      ...more,
    ],
  };
}

function curl({ method, path, body, schema }: Request, { url, key }: Address): string {
  const profile = method === 'GET' ? 'Accept-Profile' : 'Content-Profile';
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellText(`${url}/rest/v1/${path}`)}`,
    `-H ${shellText(`apikey: ${key}`)}`,
    ...(schema === undefined ? [] : [`-H ${shellText(`${profile}: ${schema}`)}`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${shellText(JSON.stringify(JSON.parse(body)))}`]),
  ];
  return lines.join(' \\\n  ');
}
