/** Settings with two names: the name in the schema, and an alias that upstream also accepts. */
import { isRecord } from '../../../base/shared/json.ts';
import type { Fields, Node } from '../schema/define.ts';

type Table = Readonly<Record<string, unknown>>;

/**
 * Returns the schema's name of a key in the section of the node. An alias is kept if the table also contains the name,
 * which takes precedence.
 *
 * @param has whether the table contains a key
 */
export function schemaName(node: Node | undefined, key: string, has: (key: string) => boolean): string {
  if (node?.kind === 'names' && node.upperCase) return key.toUpperCase();
  if (node?.kind !== 'section' || Object.hasOwn(node.fields, key)) return key;
  const found = Object.entries(node.fields as Fields).find(([, field]) => aliasOf(field) === key);
  return found === undefined || has(found[0]) ? key : found[0];
}

/** Returns the node of a name in the section of the node. */
export function schemaNode(node: Node | undefined, name: string): Node | undefined {
  if (node?.kind === 'names') return node.value;
  return node?.kind === 'section' && Object.hasOwn(node.fields, name)
    ? (node.fields as Fields)[name]
    : undefined;
}

export const aliasOf = (node: Node): string | undefined => (node.kind === 'names' ? undefined : node.alias);

/** Returns the table with the schema's names in place of aliases. */
export function withSchemaNames(node: Node | undefined, table: Table): Table {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => {
      const name =
        node?.kind === 'section' ? schemaName(node, key, (other) => Object.hasOwn(table, other)) : key;
      return [name, isRecord(value) ? withSchemaNames(schemaNode(node, name), value) : value];
    }),
  );
}

/** Returns the path of a setting as the table writes it: with the alias where the table contains only the alias. */
export function pathIn(node: Node | undefined, table: unknown, path: readonly string[]): string[] {
  const [name, ...rest] = path;
  if (name === undefined) return [];
  const inner = schemaNode(node, name);
  const alias = inner && aliasOf(inner);
  const found =
    alias !== undefined && isRecord(table) && !Object.hasOwn(table, name) && Object.hasOwn(table, alias)
      ? alias
      : name;
  return [found, ...pathIn(inner, isRecord(table) ? table[found] : undefined, rest)];
}
