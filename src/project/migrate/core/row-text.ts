/**
 * SQL that reads rows as text. The SQL calls only the types' output functions, because a cast or an operator could
 * belong to the project and would run with the session's privileges.
 */
import type { TableData } from '../../../operations/dump/index.ts';

/** A table with the columns that exist in both source and target. */
export interface SharedTable {
  /** The table's quoted and qualified name. */
  readonly table: string;
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** The quoted names of the primary key's columns. Empty if the table has no primary key. */
  readonly key: readonly string[];
  readonly condition?: string | undefined;
}

const recordText = (columns: readonly string[]): string =>
  `ROW(${columns.map((column) => `t.${column}`).join(', ')})::pg_catalog.text`;

const digest = (columns: readonly string[]): string =>
  `pg_catalog.sha256(pg_catalog.convert_to(${recordText(columns)}, 'UTF8'))`;

const whereOf = ({ condition }: SharedTable): string =>
  condition === undefined ? '' : ` WHERE (${condition})`;

/** Returns a query for the position, key and hash of each row. */
export const fingerprintQuery = (table: SharedTable, hashed: readonly string[] = table.columns): string =>
  `SELECT t.ctid, ${recordText(table.key)} COLLATE "C", ${digest(hashed)} FROM ONLY ${table.table} t${whereOf(table)}`;

export const rowsQuery = (table: SharedTable): string =>
  `SELECT ${table.columns.map((column) => `t.${column}`).join(', ')} FROM ONLY ${table.table} t${whereOf(table)}`;

export const rowsAtQuery = (table: SharedTable, places: readonly string[]): string =>
  `SELECT ${table.columns.map((column) => `t.${column}`).join(', ')} FROM ONLY ${table.table} t WHERE t.ctid = ANY (${placesLiteral(places)})`;

/** Returns a query for the rows in a range of heap blocks. */
export const rowsBetweenQuery = (table: SharedTable, first: number, end: number | undefined): string =>
  `${rowsQuery(table)} ${table.condition === undefined ? 'WHERE' : 'AND'} t.ctid >= '(${first},0)'::pg_catalog.tid` +
  (end === undefined ? '' : ` AND t.ctid < '(${end},0)'::pg_catalog.tid`);

export const copyIntoStatement = ({ table, columns }: SharedTable): string =>
  `COPY ${table}${columns.length === 0 ? '' : ` (${columns.join(', ')})`} FROM STDIN`;

const placePattern = /^\(\d+,\d+\)$/;

/**
 * Returns an array literal of row positions.
 * @throws {Error} if a position has an unexpected format, because positions are inserted into the SQL text
 */
export function placesLiteral(places: readonly string[]): string {
  const wrong = places.find((place) => !placePattern.test(place));
  if (wrong !== undefined) throw new Error(`not a row position: ${wrong}`);
  return `'{${places.map((place) => `"${place}"`).join(',')}}'::pg_catalog.tid[]`;
}

/**
 * Returns a query for the row count and the sums of two parts of the row hashes. The sums don't depend on the order of
 * the rows.
 */
export const summaryQuery = (table: SharedTable): string =>
  `SELECT pg_catalog.count(*)::pg_catalog.text AS rows, ${[1, 15]
    .map(
      (from) =>
        `coalesce(pg_catalog.sum(('x' || pg_catalog.substr(d.hex, ${from}, 14))::pg_catalog.bit(56)::pg_catalog.int8), 0)`,
    )
    .join(
      " || '-' || ",
    )} AS hash FROM (SELECT pg_catalog.encode(${digest(table.columns)}, 'hex') AS hex FROM ONLY ${table.table} t${whereOf(table)}) d`;

/**
 * Returns the table with the columns that exist in both source and target. Generated columns aren't included, because
 * `TableData` doesn't contain them.
 */
export function sharedTable(source: TableData, target: TableData, key: readonly string[]): SharedTable {
  const has = new Set(target.columns);
  const columns = source.columns.filter((column) => has.has(column));
  return {
    table: source.table,
    schema: source.schema,
    name: source.name,
    columns,
    key: key.every((column) => columns.includes(column)) ? key : [],
    condition: source.condition,
  };
}
