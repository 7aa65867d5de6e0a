/** Reads the catalogs of a database after a rehearsal. */
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';

/**
 * Returns the columns of tables and views, each with the relation as `schema.relation` and the column's name. For a
 * relation without columns, returns one row without a column name.
 */
export async function selectColumns(
  db: Queryable,
): Promise<{ readonly relation: string; readonly name: string | null }[]> {
  return await db.query(sql`
    select n.nspname || '.' || c.relname as relation, a.attname::text as name
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    order by c.oid, a.attnum`);
}

/**
 * Returns the unique keys that an `on conflict` clause with a column list can use. Keys that are partial or contain
 * expressions are excluded.
 */
export async function selectUniqueKeys(
  db: Queryable,
): Promise<{ readonly relation: string; readonly columns: string[] }[]> {
  return await db.query(sql`
    select n.nspname || '.' || c.relname as relation, array_agg(a.attname::text) as columns
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey[0:i.indnkeyatts - 1])
    where i.indisunique and i.indpred is null and i.indexprs is null
    group by i.indexrelid, relation`);
}

/** Returns the names of enums and composite types as `schema.type`. */
export async function selectTypes(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select n.nspname || '.' || t.typname as name
    from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    where t.typtype in ('e', 'c', 'd')`);
  return rows.map(({ name }) => name);
}

/** Returns the names of functions as `schema.function`. */
export async function selectFunctions(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select distinct n.nspname || '.' || p.proname as name
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname <> 'pg_catalog'`);
  return rows.map(({ name }) => name);
}

/** Returns the source text of the SQL and PL/pgSQL functions outside these schemas. */
export async function selectFunctionBodies(
  db: Queryable,
  ignoredSchemas: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ body: string }>(sql`
    select p.prosrc as body
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang
    where l.lanname in ('sql', 'plpgsql') and not n.nspname = any (${ignoredSchemas}::text[])
      and n.nspname not in ('pg_catalog', 'information_schema')
    order by p.oid`);
  return rows.map(({ body }) => body);
}

/**
 * Returns the names of tables that have policies, as `schema.table`. Policies whose name has this prefix are ignored.
 */
export async function selectTablesWithPolicy(db: Queryable, ignoredPrefix: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    select distinct n.nspname || '.' || c.relname as name
    from pg_catalog.pg_policy p
    join pg_catalog.pg_class c on c.oid = p.polrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where not starts_with(p.polname::text, ${ignoredPrefix})`);
  return rows.map(({ name }) => name);
}
