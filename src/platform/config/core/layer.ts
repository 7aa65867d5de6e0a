/**
 * Merges the layer of saved settings with the project's settings (docs/decisions/0102-settings-layer.md). Tables are
 * merged by key, and all other values are replaced. The top-level array `unset` lists the settings of the project's file
 * whose default applies again.
 */
import type { Fields, Node, Section } from '../schema/define.ts';
import { keyText, setToml, type TomlValue } from './edit-toml.ts';
import { schemaName, schemaNode } from './names.ts';
import { ConfigError, parseToml, type RawNode, type RawTable } from './tree.ts';

type Schema = Section<Fields>;
type Path = readonly string[];

const unsetKey = 'unset';

/**
 * Returns the settings with the layer's changes. If a setting has two names, the result contains the name from the
 * schema.
 * @throws {ConfigError} if the layer's `unset` isn't an array of keys
 */
export function withLayer(schema: Schema, project: RawTable, layer: RawTable): RawTable {
  const unset = unsetPaths(layer.get(unsetKey));
  const values = new Map([...layer].filter(([key]) => key !== unsetKey));
  const base = unset.reduce((table, path) => without(table, path), named(schema, project));
  return merged(base, named(schema, values));
}

/** Returns the table with each name as written in the schema. */
function named(node: Node | undefined, table: RawTable): RawTable {
  const result: RawTable = new Map();
  for (const [key, member] of table) {
    const name = schemaName(node, key, (other) => table.has(other));
    const { value } = member;
    result.set(
      name,
      value instanceof Map ? { ...member, value: named(schemaNode(node, name), value) } : member,
    );
  }
  return result;
}

function merged(base: RawTable, layer: RawTable): RawTable {
  const result = new Map(base);
  for (const [key, member] of layer) {
    // After all of its values have been removed, a table is empty. It must have no effect, because some sections have
    // other defaults if their table exists.
    if (isEmpty(member)) continue;
    const below = base.get(key)?.value;
    result.set(key, {
      ...member,
      value:
        member.value instanceof Map
          ? merged(below instanceof Map ? below : new Map(), member.value)
          : member.value,
    });
  }
  return result;
}

const isEmpty = ({ value }: RawNode): boolean => value instanceof Map && [...value.values()].every(isEmpty);

function without(table: RawTable, [name = '', ...rest]: Path): RawTable {
  const member = table.get(name);
  if (member === undefined) return table;
  const result = new Map(table);
  if (rest.length === 0) result.delete(name);
  else if (member.value instanceof Map) result.set(name, { ...member, value: without(member.value, rest) });
  return result;
}

function unsetPaths(node: RawNode | undefined): Path[] {
  if (node === undefined) return [];
  const { value, location } = node;
  const paths = Array.isArray(value) ? value.map((item: RawNode) => pathOf(item.value)) : [undefined];
  if (paths.every((path) => path !== undefined)) return paths;
  const message = 'must be an array of setting keys, such as ["auth.site_url"]';
  throw new ConfigError([{ key: unsetKey, message, ...(location === undefined ? {} : { location }) }]);
}

/** Parses a key that is written as in TOML, such as `auth.sms.test_otp."1555"`. */
function pathOf(value: RawNode['value']): Path | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return onlyPath(parseToml(`${value} = "${mark}"`, ''));
  } catch {
    return undefined;
  }
}

/** Returns the path to the only value in a tree. Undefined if the tree contains anything else. */
function onlyPath(value: RawNode['value'], path: Path = []): Path | undefined {
  if (!(value instanceof Map)) return value === mark ? path : undefined;
  const [first, second] = value;
  return first === undefined || second !== undefined
    ? undefined
    : onlyPath(first[1].value, [...path, first[0]]);
}

/** The value that is assigned to a key to parse the key. */
const mark = 'unset';

const header = `# Settings that were saved on the server. They override the project's files.
`;

/**
 * Saves a value in the text of a layer's file. The value `undefined` removes the value from the layer, so that the
 * project's value applies. The value `null` also hides the project's value, so that the default applies.
 */
export function setInLayer(text: string, path: Path, value: TomlValue | null | undefined): string {
  const before = parseToml(text, '').get(unsetKey);
  const key = path.map(keyText).join('.');
  const others = unsetPaths(before)
    .map((each) => each.map(keyText).join('.'))
    .filter((each) => each !== key);
  const unset = value === null ? [...others, key] : others;
  const result = setToml(text === '' ? header : text, path, value ?? undefined);
  return before === undefined && unset.length === 0
    ? result
    : setToml(result, [unsetKey], unset.length === 0 ? undefined : unset);
}

/** Returns the tree as plain objects. */
export const plainFrom = (table: RawTable): Record<string, unknown> =>
  Object.fromEntries([...table].map(([key, { value }]) => [key, plainOf(value)]));

function plainOf(value: RawNode['value']): unknown {
  if (value instanceof Map) return plainFrom(value);
  return Array.isArray(value) ? value.map((item: RawNode) => plainOf(item.value)) : value;
}
