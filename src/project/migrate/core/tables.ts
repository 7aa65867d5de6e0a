/** Selects the tables whose rows are migrated. */
import type { ProjectPlan, TableData } from '../../../operations/dump/index.ts';
import { type SharedTable, sharedTable } from './row-text.ts';

/** Tables that other steps fill, or whose rows belong to work that the source's server hasn't finished. */
const elsewhere = new Set([
  'storage.objects',
  'storage.s3_multipart_uploads',
  'storage.s3_multipart_uploads_parts',
]);

/** Ranks auth tables first, because rows in the project's tables refer to users. */
const rank = ({ schema }: TableData): number => (schema === 'auth' ? 0 : schema === 'storage' ? 1 : 2);

export interface TableSelection {
  readonly tables: readonly SharedTable[];
  /** Sentences about tables and columns that exist only on the source. */
  readonly notes: readonly string[];
}

interface TableFacts {
  /** The quoted names of each table's primary key columns. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Tables that have at least one row. */
  readonly filled: ReadonlySet<string>;
  /** Tables that the source's account can read. */
  readonly readable: ReadonlySet<string>;
  /** Tables that the target's account can write. */
  readonly writable: ReadonlySet<string>;
  /** The source's foreign keys. */
  readonly references: readonly (readonly [from: string, to: string])[];
}

export function selectTables(
  source: Pick<ProjectPlan, 'tables'>,
  target: Pick<ProjectPlan, 'tables'>,
  { keys, filled, readable, writable, references }: TableFacts,
): TableSelection {
  const notes: string[] = [];
  const there = new Map(target.tables.map((table) => [table.table, table]));
  const tables = source.tables
    .filter(({ schema, name }) => !elsewhere.has(`${schema}.${name}`))
    .toSorted((a, b) => rank(a) - rank(b) || (a.table < b.table ? -1 : 1))
    .flatMap((table) => {
      const other = there.get(table.table);
      if (!readable.has(table.table)) {
        notes.push(`Table ${table.table}: the source's account can't read it.`);
        return [];
      }
      if (other === undefined || !writable.has(table.table)) {
        if (filled.has(table.table))
          notes.push(
            `Table ${table.table}: its rows can't be migrated, because ${other === undefined ? "the target doesn't have the table" : "the target's account can't write it"}.`,
          );
        return [];
      }
      const shared = sharedTable(table, other, keys.get(table.table) ?? []);
      const lost = table.columns.filter((column) => !shared.columns.includes(column));
      if (lost.length > 0 && filled.has(table.table))
        notes.push(`Table ${table.table}: the target doesn't have the columns ${lost.join(', ')}.`);
      return [shared];
    });
  const byName = new Map(tables.map((table) => [table.table, table]));
  const ordered = orderByReferences([...byName.keys()], references);
  return { tables: ordered.flatMap((table) => byName.get(table) ?? []), notes };
}

/**
 * Orders tables so that each table comes after the tables that it references. Tables in a cycle keep their order.
 *
 * @example orderByReferences(['identities', 'users'], [['identities', 'users']]); // ['users', 'identities']
 */
export function orderByReferences(
  tables: readonly string[],
  references: readonly (readonly [from: string, to: string])[],
): string[] {
  const wanted = new Set(tables);
  const needs = Map.groupBy(references, ([from]) => from);
  const ordered = new Set<string>();
  const entered = new Set<string>();
  const enter = (table: string): void => {
    if (entered.has(table)) return;
    entered.add(table);
    for (const [, to] of needs.get(table) ?? []) if (wanted.has(to)) enter(to);
    ordered.add(table);
  };
  for (const table of tables) enter(table);
  return [...ordered];
}
