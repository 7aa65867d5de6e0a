/** Compares the rows of a project's tables with those of a branch, with the caller's permissions. */
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { ManagementCallName } from './inputs.ts';

type Call = <T>(name: ManagementCallName, input?: object) => Promise<T>;

export interface TableDifference {
  readonly table: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Why the rows weren't compared, or null. */
  readonly skipped: 'too_large' | 'no_primary_key' | 'other_columns' | null;
}

interface TableFacts {
  readonly schema: string;
  readonly name: string;
  readonly estimate: number;
  readonly key: readonly string[] | null;
  readonly columns: string;
}

/** Tables with more rows aren't compared, because every row would be read on both sides. */
const maxRows = 50_000;
const maxTables = 200;

const facts = `
  select n.nspname as schema, c.relname as name, greatest(c.reltuples, 0)::int as estimate,
    (select array_agg(a.attname::text order by k.at) from pg_index i, unnest(i.indkey) with ordinality k(attnum, at), pg_attribute a
      where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.attnum) as key,
    (select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attname) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
    and n.nspname not in ('pg_catalog', 'information_schema', 'auth', 'storage', 'realtime', 'vault', 'net', 'cron',
      'supabase_functions', 'supabase_migrations', 'extensions', '_plinth', 'graphql', 'pgmq')
  order by 1, 2 limit ${maxTables}`;

const query = <T>(call: Call, text: string): Promise<T[]> =>
  call<T[]>('runQuery', { query: text, read_only: true });

/** Returns the tables that both sides have and whose rows differ or couldn't be compared. */
export async function compareData(project: Call, branch: Call): Promise<TableDifference[]> {
  const [ours, theirs] = await Promise.all([
    query<TableFacts>(project, facts),
    query<TableFacts>(branch, facts),
  ]);
  const found: TableDifference[] = [];
  for (const table of ours) {
    const other = theirs.find(({ schema, name }) => schema === table.schema && name === table.name);
    if (other === undefined) continue;
    const difference = await compareTable({ project, branch }, table, other);
    if (difference !== undefined) found.push(difference);
  }
  return found;
}

async function compareTable(
  { project, branch }: { readonly project: Call; readonly branch: Call },
  table: TableFacts,
  other: TableFacts,
): Promise<TableDifference | undefined> {
  const name = `${table.schema}.${table.name}`;
  const skip = (skipped: TableDifference['skipped']): TableDifference => ({
    table: name,
    ...{ added: 0, removed: 0, changed: 0 },
    skipped,
  });
  if (table.columns !== other.columns) return skip('other_columns');
  if (table.key === null) return skip('no_primary_key');
  if (Math.max(table.estimate, other.estimate) > maxRows) return skip('too_large');
  const text = digests(table, table.key);
  const [before, after] = await Promise.all([query<Digest>(project, text), query<Digest>(branch, text)]);
  if (Math.max(before.length, after.length) > maxRows) return skip('too_large');
  const known = new Map(before.map(({ key, digest }) => [key, digest]));
  let [added, changed, kept] = [0, 0, 0];
  for (const { key, digest } of after) {
    const previous = known.get(key);
    if (previous === undefined) added += 1;
    else {
      kept += 1;
      if (previous !== digest) changed += 1;
    }
  }
  const removed = known.size - kept;
  return added + changed + removed === 0
    ? undefined
    : { table: name, added, removed, changed, skipped: null };
}

interface Digest {
  readonly key: string;
  readonly digest: string;
}

/** Returns a query for the key and a hash of each row. The estimate can be too low, so the query has a limit too. */
function digests({ schema, name }: TableFacts, key: readonly string[]): string {
  const columns = key.map((column) => `t.${quoteIdentifier(column)}`).join(', ');
  return `select row(${columns})::text as key, md5(to_jsonb(t)::text) as digest
    from ${quoteIdentifier(schema)}.${quoteIdentifier(name)} t limit ${maxRows + 1}`;
}
