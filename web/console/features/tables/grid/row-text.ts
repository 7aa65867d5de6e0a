/** Prints rows as JSON and as INSERT statements. Numbers keep all of their digits. */
import type { Cell, Column, Relation } from '../../../api/types.ts';
import { parseArray } from '../fields/array-text.ts';
import { jsonProblem } from '../fields/json-text.ts';
import { elementOf, kindOf } from '../fields/kinds.ts';

export type Cells = readonly Cell[];

/** Returns a JSON array of objects, or a single object if there is one row. */
export function jsonOf(columns: readonly Column[], rows: readonly Cells[]): string {
  const objects = rows.map((cells) => {
    const fields = columns.map(
      (column, index) => `  ${JSON.stringify(column.name)}: ${jsonValue(column, cells[index] ?? null)}`,
    );
    return `{\n${fields.join(',\n')}\n}`;
  });
  const [only] = objects;
  return objects.length === 1 && only !== undefined ? only : `[${objects.join(', ')}]`;
}

function jsonValue(column: Column, cell: Cell): string {
  if (cell === null) return 'null';
  switch (kindOf(column)) {
    case 'boolean':
      return cell === 'true' || cell === 'false' ? cell : JSON.stringify(cell);
    case 'number':
      // JSON doesn't support NaN, infinity or leading zeros.
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell) ? cell : JSON.stringify(cell);
    case 'json':
      return jsonProblem(cell) === undefined ? cell : JSON.stringify(cell);
    case 'array': {
      const element = elementOf(column);
      const items = parseArray(cell)?.map((item) => jsonValue(element, item));
      return items === undefined ? JSON.stringify(cell) : `[${items.join(', ')}]`;
    }
    default:
      return JSON.stringify(cell);
  }
}

/** Returns one INSERT statement per row. Generated columns are omitted because PostgreSQL computes them. */
export function insertsOf(relation: Relation, columns: readonly Column[], rows: readonly Cells[]): string {
  const given = columns.map((column, index) => ({ column, index })).filter(({ column }) => !column.generated);
  const names = given.map(({ column }) => identifier(column.name)).join(', ');
  const overriding = given.some(({ column }) => column.identity === 'always')
    ? ' overriding system value'
    : '';
  const target = `${identifier(relation.schema)}.${identifier(relation.name)}`;
  return rows
    .map((cells) => {
      const values = given.map(({ column, index }) => literal(column, cells[index] ?? null)).join(', ');
      return `insert into ${target} (${names})${overriding} values (${values});`;
    })
    .join('\n');
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function literal(column: Column, cell: Cell): string {
  if (cell === null) return 'null';
  const kind = kindOf(column);
  if (kind === 'boolean' && (cell === 'true' || cell === 'false')) return cell;
  if (kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(cell)) return cell;
  const doubled = cell.replaceAll("'", "''");
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}
