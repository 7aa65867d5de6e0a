/**
 * Adds `ComputedFields` to generated TypeScript types, in the format that CLI 3.1 generates. A computed field is a
 * property of a `Row` whose value is returned by a function instead of being stored in a column. The published version
 * of the type generator doesn't support computed fields yet.
 */

interface Column {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
}

const key = String.raw`("(?:[^"\\]|\\.)*"|[^\s"'{}[\]|:?]+)`;
const levels = {
  schema: new RegExp(`^ {2}${key}: \\{$`),
  relation: new RegExp(`^ {6}${key}: \\{$`),
  field: new RegExp(`^ {10}${key}: `),
  row: /^ {8}Row: \{(\})?$/,
  rowEnd: /^ {8}\}$/,
};
const width = 80;

/**
 * Returns the types with the computed fields added.
 * @param types the generated types, indented with two spaces per level
 * @param columns the columns of all tables and views in the types
 */
export function withComputedFields(types: string, columns: readonly Column[]): string {
  const known = new Set(columns.map(({ schema, table, name }) => JSON.stringify([schema, table, name])));
  const result: string[] = [];
  let schema = '';
  let relation = '';
  let computed: string[] | undefined;
  for (const line of types.split('\n')) {
    result.push(line);
    schema = nameIn(line, levels.schema) ?? schema;
    relation = nameIn(line, levels.relation) ?? relation;
    const row = levels.row.exec(line);
    if (row !== null) computed = [];
    if (computed === undefined) continue;
    const field = nameIn(line, levels.field);
    if (field !== undefined && !known.has(JSON.stringify([schema, relation, field]))) computed.push(field);
    if (row?.[1] !== undefined || levels.rowEnd.test(line)) {
      result.push(...member(computed));
      computed = undefined;
    }
  }
  return result.join('\n');
}

function nameIn(line: string, pattern: RegExp): string | undefined {
  const written = pattern.exec(line)?.[1];
  return written?.startsWith('"') ? (JSON.parse(written) as string) : written;
}

function member(names: readonly string[]): string[] {
  const quoted = names.map((name) => JSON.stringify(name));
  const line = `        ComputedFields: ${quoted.join(' | ') || 'never'}`;
  return line.length <= width
    ? [line]
    : ['        ComputedFields:', ...quoted.map((name) => `          | ${name}`)];
}
