/** Queries with which delivery checks read the publication, the current row and the message. */

import { type Sql, sql } from '../../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import { changesPublication, unpublishedSchemas } from '../changes/catalog-queries.ts';
import { messagesPublication } from '../changes/replication.ts';
import type { Table } from '../core/change.ts';
import type { Cells } from '../types.ts';

/** Returns the table's OID, or undefined if the table doesn't exist. */
export async function tableOid(db: Queryable, schema: string, name: string): Promise<number | undefined> {
  const [row] = await db.query<{ oid: number }>(sql`
    select c.oid::int8 as oid
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${name} and c.relkind in ('r', 'p')`);
  return row?.oid;
}

export interface PublicationFacts {
  readonly insert: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  readonly published: boolean;
  /** The published columns. Null if all columns are published. */
  readonly columns: readonly string[] | null;
  /** The publication's row filter. Null if the publication doesn't have a row filter. */
  readonly row_filter: string | null;
  /** The replica identity columns, which are sent for a deleted row. */
  readonly identity: readonly string[];
}

/** Returns facts about the publication, or undefined if the publication doesn't exist. */
export async function publicationFacts(db: Queryable, oid: number): Promise<PublicationFacts | undefined> {
  const [row] = await db.query<PublicationFacts>(sql`
    select p.pubinsert as insert, p.pubupdate as update, p.pubdelete as delete, 
      t.pubname is not null and n.nspname <> all (${unpublishedSchemas}) as published,
      t.attnames::text[] as columns, t.rowfilter as row_filter,
      coalesce((
        select array_agg(a.attname::text order by a.attnum)
        from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and case c.relreplident
          when 'f' then true
          when 'n' then false
          else a.attnum = any (coalesce((
            select i.indkey::int2[] from pg_catalog.pg_index i
            where i.indrelid = c.oid and case c.relreplident when 'i' then i.indisreplident else i.indisprimary end
          ), '{}'))
        end
      ), '{}') as identity
    from pg_catalog.pg_publication p
    cross join pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_publication_tables t
      on t.pubname = p.pubname and t.schemaname = n.nspname and t.tablename = c.relname
    where p.pubname = ${changesPublication} and c.oid = ${oid}`);
  return row;
}

/** Returns the row as the tables' owner sees it, or undefined if the row doesn't exist. */
export async function readRow(pool: Pool, table: Table, key: Cells): Promise<Cells | undefined> {
  const names = table.columns.map(({ name }) => name);
  const { rows } = await pool.transaction(
    (tx) =>
      tx.queryText(sql`
        select ${sql.join(names.map((name) => sql.id(name)))}
        from ${sql.id(table.schema, table.name)} where ${keyCondition(table, key)} limit 1`),
    { readOnly: true, end: 'rollback', settings: [['statement_timeout', '10000']] },
  );
  const [row] = rows;
  return row && Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]));
}

/** Whether the current row matches the publication's row filter. Returns undefined if the row doesn't exist. */
export async function passesRowFilter(
  pool: Pool,
  table: Table,
  key: Cells,
  filter: string,
): Promise<boolean | undefined> {
  const [row] = await pool.transaction(
    (tx) =>
      tx.query<{ passes: boolean | null }>(sql`
        select (${sql.raw(filter)}) as passes
        from ${sql.id(table.schema, table.name)} where ${keyCondition(table, key)} limit 1`),
    { readOnly: true, end: 'rollback', settings: [['statement_timeout', '10000']] },
  );
  return row && row.passes === true;
}

function keyCondition(table: Table, key: Cells): Sql {
  const conditions = Object.entries(key).map(([name, value]) => {
    const column = table.columns.find((each) => each.name === name);
    if (column === undefined) throw new RangeError(`no column ${name}`);
    return value === null
      ? sql`${sql.id(name)} is null`
      : sql`${sql.id(name)} = ${value}::text::${sql.raw(column.sqlType)}`;
  });
  return sql.join(conditions, ' and ');
}

export interface PolicyFacts {
  readonly name: string;
  readonly permissive: boolean;
  readonly using: string | null;
}

/** Returns the policies that apply when a role reads the table. */
export async function readPolicies(db: Queryable, oid: number, role: string): Promise<PolicyFacts[]> {
  return db.query<PolicyFacts>(sql`
    select p.polname as name, p.polpermissive as permissive, pg_get_expr(p.polqual, p.polrelid) as using
    from pg_catalog.pg_policy p
    join pg_catalog.pg_roles r on r.rolname = ${role}
    where p.polrelid = ${oid} and p.polcmd in ('r', '*')
      and exists (
        select from unnest(p.polroles) as named (id) where named.id = 0 or pg_has_role(r.oid, named.id, 'USAGE')
      )
    order by p.polname`);
}

export interface MessageFacts {
  readonly topic: string;
  readonly extension: string;
  readonly event: string | null;
  readonly private: boolean | null;
  readonly encoding: 'json' | 'binary' | null;
  readonly size_bytes: number | null;
  /** Whether the service's message publication includes the row. */
  readonly published: boolean;
}

/** Returns facts about the message, or undefined if the message never existed or was dropped with its partition. */
export async function messageFacts(db: Queryable, id: string): Promise<MessageFacts | undefined> {
  const [row] = await db.query<MessageFacts>(sql`
    select topic, extension, event, private,
      case when payload is not null then 'json' when binary_payload is not null then 'binary' end as encoding,
      coalesce(octet_length(payload::text), octet_length(binary_payload)) as size_bytes,
      exists (
        select from pg_catalog.pg_publication_tables
        where pubname = ${messagesPublication} and schemaname = 'realtime' and tablename = 'messages'
      ) as published
    from realtime.messages where id = ${id}::uuid`);
  return row;
}
