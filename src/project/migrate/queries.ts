/** Queries the tables, keys and triggers on source and target. */

import { sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';

interface KeyRow {
  readonly table: string;
  readonly columns: string[];
}

/** Returns the quoted columns of each primary key, by the table's quoted and qualified name. */
export async function readPrimaryKeys({
  query,
}: CopySession): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await query<KeyRow>(sql`
    select format('%I.%I', n.nspname, c.relname) as table,
      (select json_agg(quote_ident(a.attname) order by k.position)
        from unnest(i.indkey::int2[]) with ordinality as k(number, position)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
    where i.indisprimary and i.indisvalid and n.nspname !~ '^pg_'`);
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/**
 * Returns the tables on which the account has all of the privileges in the list, such as `SELECT`, or `INSERT` and
 * `DELETE`.
 */
export async function readTablesWith(
  { query }: CopySession,
  privileges: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await query<{ table: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as table
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and has_schema_privilege(n.oid, 'usage')
      and (select bool_and(has_table_privilege(c.oid, p)) from unnest(${privileges}::text[]) p)`);
  return new Set(rows.map(({ table }) => table));
}

/** Returns the foreign keys as pairs of quoted table names. */
export async function readReferences({
  query,
}: CopySession): Promise<(readonly [from: string, to: string])[]> {
  const rows = await query<{ from: string; to: string }>(sql`
    select format('%I.%I', fn.nspname, f.relname) as from, format('%I.%I', tn.nspname, t.relname) as to
    from pg_constraint k
    join pg_class f on f.oid = k.conrelid join pg_namespace fn on fn.oid = f.relnamespace
    join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
    where k.contype = 'f' and k.conparentid = 0 order by 1, 2`);
  return rows.map(({ from, to }) => [from, to]);
}

/** Returns the number of blocks in a table. `table` is its quoted name. */
export async function readBlocks({ query }: CopySession, table: string): Promise<number> {
  const [row] = await query<{ blocks: number }>(sql`
    select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int8)::int8 as blocks`);
  return row?.blocks ?? 0;
}

export async function hasRows({ query }: CopySession, table: string): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(
    sql`select exists (select from only ${sql.raw(table)}) as found`,
  );
  return row?.found === true;
}

/** Returns those tables in the list that contain rows. */
export async function readFilled(
  session: CopySession,
  tables: readonly string[],
): Promise<ReadonlySet<string>> {
  const filled = new Set<string>();
  for (const table of tables) if (await hasRows(session, table)) filled.add(table);
  return filled;
}

/** Returns the project's triggers that fire even while rows are copied. */
export async function readAlwaysTriggers({ query }: CopySession): Promise<string[]> {
  const rows = await query<{ name: string }>(sql`
    select format('%I on %s', t.tgname, t.tgrelid::regclass) as name from pg_trigger t
    join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    where not t.tgisinternal and t.tgenabled in ('A', 'R') and n.nspname <> '_plinth' order by 1`);
  return rows.map(({ name }) => name);
}
