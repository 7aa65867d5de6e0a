/**
 * Lists the owners and grants in every schema that the hosted service has, with one line per object. The list is
 * compared with a table of expected grants.
 */

import { sql } from '../../src/base/kernel/sql.ts';
import type { Database } from '../../src/platform/database/types.ts';

const schemas = [
  'auth',
  'cron',
  'extensions',
  'graphql',
  'graphql_public',
  'net',
  'pgmq',
  'pgmq_public',
  'public',
  'realtime',
  'storage',
  'supabase_functions',
  'supabase_migrations',
  'vault',
];
const extensions = [
  'supabase_vault',
  'pg_cron',
  'pg_net',
  'pgmq',
  'pg_stat_statements',
  'uuid-ossp',
  'pgcrypto',
];

/**
 * Returns lines in the format `kind name | owner | grantee=privileges …`, with the letters of PostgreSQL's access lists
 * and `*` for the grant option. Excludes the privileges of the object's owner. Also excludes privileges that PUBLIC
 * has, unless they include the grant option.
 */
export async function grantsOf(database: Database): Promise<string[]> {
  return await database.pool('supabase_admin').transaction(async (tx) => {
    await tx.exec('set local event_triggers = on; set local role postgres');
    for (const name of extensions)
      await tx.query(sql`create extension if not exists ${sql.id(name)} cascade`);
    await tx.exec('reset role');
    const rows = await tx.query<{ line: string }>(sql`
      with objects as (
        select 'schema' as kind, n.nspname::text as name, n.nspowner as owner, n.nspname::text as schema,
          coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl
        from pg_namespace n
        union all
        select case c.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end, c.oid::regclass::text, c.relowner,
          n.nspname, coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not c.relispartition
        union all
        select 'function', p.oid::regprocedure::text, p.proowner, n.nspname, coalesce(p.proacl, acldefault('f', p.proowner))
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        union all
        select 'type', t.oid::regtype::text, t.typowner, n.nspname, coalesce(t.typacl, acldefault('T', t.typowner))
        from pg_type t join pg_namespace n on n.oid = t.typnamespace
        where t.typtype in ('e', 'd') or t.typtype = 'c' and exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c')
        union all
        select 'default', d.defaclrole::regrole || ' in ' || n.nspname || ' ' ||
          case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' end,
          d.defaclrole, n.nspname, d.defaclacl
        from pg_default_acl d join pg_namespace n on n.oid = d.defaclnamespace
      ), entries as (
        select o.kind, o.name, o.owner, o.schema,
          case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee,
          string_agg(case a.privilege_type when 'SELECT' then 'r' when 'INSERT' then 'a' when 'UPDATE' then 'w' when 'DELETE' then 'd'
            when 'TRUNCATE' then 'D' when 'REFERENCES' then 'x' when 'TRIGGER' then 't' when 'MAINTAIN' then 'm' when 'USAGE' then 'U'
            when 'CREATE' then 'C' when 'EXECUTE' then 'X' end || case when a.is_grantable then '*' else '' end, ''
            order by strpos('arwdDxtmXUC', case a.privilege_type when 'SELECT' then 'r' when 'INSERT' then 'a' when 'UPDATE' then 'w'
            when 'DELETE' then 'd' when 'TRUNCATE' then 'D' when 'REFERENCES' then 'x' when 'TRIGGER' then 't' when 'MAINTAIN' then 'm'
            when 'USAGE' then 'U' when 'CREATE' then 'C' when 'EXECUTE' then 'X' end)) as privileges
        from objects o left join lateral (
          select grantee, privilege_type, bool_or(is_grantable) as is_grantable from aclexplode(o.acl) a
          where is_grantable or grantee = 0 or o.kind = 'default' or not exists (
            select from aclexplode(o.acl) p where p.grantee = 0 and p.privilege_type = a.privilege_type)
          group by 1, 2
        ) a on a.grantee is distinct from o.owner
        where o.schema = any (${schemas}::text[])
        group by o.kind, o.name, o.owner, o.schema, a.grantee
      )
      select kind || ' ' || name || ' | ' || owner::regrole || ' |' ||
        coalesce(' ' || string_agg(grantee || '=' || privileges, ' ' order by grantee collate "C"), '') as line
      from entries group by kind, name, owner, schema
      order by schema collate "C", array_position(array['schema', 'default', 'table', 'view', 'sequence', 'function', 'type'], kind), name collate "C"`);
    return rows.map(({ line }) => line);
  });
}
