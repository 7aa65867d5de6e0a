/**
 * Finds rows whose primary key is a given number or UUID, in the project's tables. Each lookup uses the index of the
 * primary key. The tables are read as the operator's database role. The number of tables and the duration of the search
 * are limited.
 */

import { sql } from '../../../base/kernel/sql.ts';
import type { Database } from '../../../platform/database/types.ts';
import { databaseRoleOf } from '../persona/act.ts';
import type { SearchHit } from './contract.ts';
import { type Found, groupTimeoutMs, limits, type SearchInput } from './input.ts';

/** The maximum number of tables to search. */
const maxSearchedTables = 200;
/** The number of tables that a query searches. A locked table delays only the query that searches it. */
const batchTables = 25;
const maxHits = 20;

const uuid = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const integer = /^-?\d{1,18}$/;

interface KeyedTable {
  readonly schema: string;
  readonly name: string;
  readonly column: string;
  readonly type: string;
}

export async function findRows(database: Database, { search, role, signal }: SearchInput): Promise<Found> {
  const types = uuid.test(search) ? ['uuid'] : integer.test(search) ? ['int2', 'int4', 'int8'] : [];
  if (types.length === 0) return { hits: [], isPartial: false };
  const pool = database.pool(databaseRoleOf(role));
  const until = performance.now() + groupTimeoutMs;
  const tables = await pool.transaction(
    (tx) =>
      tx.query<KeyedTable>(sql`
        select n.nspname as schema, c.relname as name, a.attname as column, t.typname as type
        from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] join pg_type t on t.oid = a.atttypid
        where i.indisprimary and i.indisvalid and i.indnkeyatts = 1 and not c.relispartition
          and t.typnamespace = 'pg_catalog'::regnamespace and t.typname = any (${types}::text[])
          and has_table_privilege(c.oid, 'select') and has_schema_privilege(n.oid, 'usage')
          and n.nspname not in ('_plinth', 'information_schema', 'auth', 'storage', 'realtime', 'vault', 'net', 'cron',
            'pgmq', 'supabase_functions', 'supabase_migrations', 'extensions') and n.nspname not like 'pg\\_%'
        order by n.nspname <> 'public', n.nspname, c.relname limit ${maxSearchedTables + 1}::int`),
    limits(signal),
  );
  const hits: SearchHit[] = [];
  let isPartial = tables.length > maxSearchedTables;
  for (let at = 0; at < Math.min(tables.length, maxSearchedTables); at += batchTables) {
    if (signal.aborted || hits.length >= maxHits || performance.now() > until) {
      isPartial = true;
      break;
    }
    const batch = tables.slice(at, at + batchTables);
    try {
      for (const index of await present(database, batch, search, { role, signal })) {
        const table = batch[index];
        if (table !== undefined) hits.push(hitOf(table, search));
      }
    } catch {
      isPartial = true;
    }
  }
  return { hits: hits.slice(0, maxHits), isPartial };
}

/** Returns the indexes (in the list of tables) of the tables that contain a row with this key. */
async function present(
  database: Database,
  tables: readonly KeyedTable[],
  key: string,
  { role, signal }: Pick<SearchInput, 'role' | 'signal'>,
): Promise<number[]> {
  const lookups = tables.map(({ schema, name, column, type }, index) => {
    // The value is compared as a bigint, because a number that is too large for the column's type would cause an error.
    const value = type === 'uuid' ? sql`${key}::uuid` : sql`${key}::int8`;
    return sql`select ${index}::int as index where exists (
      select from ${sql.id(schema, name)} where ${sql.id(column)} = ${value})`;
  });
  const found = await database
    .pool(databaseRoleOf(role))
    .transaction((tx) => tx.query<{ index: number }>(sql.join(lookups, ' union all ')), limits(signal));
  return found.map(({ index }) => index);
}

function hitOf({ schema, name, column, type }: KeyedTable, search: string): SearchHit {
  const key = type === 'uuid' ? search.toLowerCase() : BigInt(search).toString();
  return {
    title: `${schema === 'public' ? '' : `${schema}.`}${name}`,
    detail: `${column} = ${key}`,
    target: {
      to: '/tables/$schema/$table',
      params: { schema, table: name },
      search: { row: { [column]: key } },
    },
  };
}
