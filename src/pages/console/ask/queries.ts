import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { secretSchemas } from '../core/roles.ts';
import type { AskTable } from './core/schema-text.ts';

/** Schemas of the services, whose tables developers rarely query. */
const serviceSchemas = [
  'information_schema',
  'graphql',
  'graphql_public',
  'realtime',
  'storage',
  'pgbouncer',
  'pgmq',
  'pgsodium',
];

/** The maximum number of tables that are read from the catalog. Only a part of them is sent. */
const maxTables = 2000;

export const selectTables = (db: Queryable): Promise<AskTable[]> =>
  db.query<AskTable & object>(sql`
    select n.nspname as schema, c.relname as name,
      case when c.relkind in ('v', 'm') then 'view' else 'table' end as kind,
      obj_description(c.oid, 'pg_class') as comment,
      (select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
          'nullable', not a.attnotnull, 'comment', col_description(c.oid, a.attnum)) order by a.attnum), '[]')
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select coalesce(json_agg(a.attname order by k.position), '[]')
        from pg_constraint p cross join unnest(p.conkey) with ordinality k (attnum, position)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
        where p.conrelid = c.oid and p.contype = 'p') as "primaryKey",
      (select coalesce(json_agg(json_build_object(
          'text', regexp_replace(pg_get_constraintdef(f.oid), '^FOREIGN KEY ', ''),
          'table', tn.nspname || '.' || t.relname) order by f.conname), '[]')
        from pg_constraint f join pg_class t on t.oid = f.confrelid join pg_namespace tn on tn.oid = t.relnamespace
        where f.conrelid = c.oid and f.contype = 'f') as "references",
      (select coalesce(json_agg(p.polname order by p.polname), '[]') from pg_policy p where p.polrelid = c.oid) as policies
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and n.nspname !~ '^pg_' and n.nspname <> all (${[...secretSchemas, ...serviceSchemas]}::text[])
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    order by n.nspname, c.relname limit ${maxTables}::int`);

/** Returns the number of questions in the last 24 hours. */
export async function countQuestions(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from _plinth.audit_log where action = 'sql.ask' and at > now() - interval '24 hours'`);
  return row?.count ?? 0;
}
