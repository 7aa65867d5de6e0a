/** Finds the tables, columns and functions that policy templates can use. Reads only the system catalogs. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { MemberFunction, MemberTable, TemplateChoices } from './contract.ts';

/** The maximum number of tables offered, and the maximum number of functions offered. */
const maxChoices = 100;

/** The schemas that belong to the server. Policies on the project's tables don't refer to these schemas. */
const serverSchemas: readonly string[] = [
  '_plinth',
  'auth',
  'cron',
  'extensions',
  'graphql',
  'graphql_public',
  'information_schema',
  'net',
  'pgbouncer',
  'pgmq',
  'pgsodium',
  'realtime',
  'storage',
  'supabase_functions',
  'supabase_migrations',
  'vault',
];

/**
 * Column names that usually refer to a user's ID. Columns with a foreign key to auth.users are found regardless of
 * their names.
 */
const userNames =
  '^(user_?id|user|owner(_?id)?|member(_?id)?|profile_?id|author(_?id)?|created_by|account_?id|uid)$';

/** Table names that usually connect users with groups. */
const memberNames = '(member|participant|collaborator|user_role|users?_|_users?$|access|permission|grant)';

export async function readChoices(db: Queryable, schema: string, table: string): Promise<TemplateChoices> {
  const [columns, memberTables, memberFunctions] = await Promise.all([
    listColumns(db, schema, table),
    listMemberTables(db, schema, table),
    listMemberFunctions(db),
  ]);
  return { columns, memberTables, memberFunctions };
}

/** The table that a column references, as `schema.table`, or null. */
const referenced = sql`(select fn.nspname || '.' || f.relname from pg_constraint k
  join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
  where k.conrelid = a.attrelid and k.contype = 'f' and k.conkey = array[a.attnum] order by k.oid limit 1)`;

/** Whether a column probably contains a user's ID. */
const isUser = sql`(coalesce(r.target = 'auth.users', false)
  or (a.atttypid = 'uuid'::regtype and a.attname ~* ${userNames} and coalesce(r.target ~* 'user|profile|account|member', true)))`;

const listColumns = (db: Queryable, schema: string, table: string) =>
  db.query<TemplateChoices['columns'][number]>(sql`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, ${isUser} as "isUser",
      exists (select from pg_constraint k where k.conrelid = a.attrelid and k.contype = 'p' and k.conkey = array[a.attnum]) as "isKey",
      r.target as references
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    cross join lateral (select ${referenced} as target) r
    where n.nspname = ${schema} and c.relname = ${table} order by a.attnum`);

/**
 * Lists tables that have a user column and a group column. Excludes the table that the policy is for, because a policy
 * can't check membership by reading its own table.
 */
const listMemberTables = (db: Queryable, schema: string, table: string) =>
  db.query<MemberTable>(sql`
    select n.nspname as schema, c.relname as name, c.relrowsecurity as rls, m.users, m.groups
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (
      select json_agg(a.attname order by r.target is distinct from 'auth.users', a.attnum) filter (where ${isUser}) as users,
        json_agg(json_build_object('name', a.attname, 'references', r.target)
          order by r.target is not distinct from (${schema}::text || '.' || ${table}::text) desc, r.target is null, a.attnum)
          filter (where not ${isUser} and (r.target is not null or a.attname ~* '_?id$') and not exists (
            select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p' and k.conkey = array[a.attnum])) as groups
      from pg_attribute a cross join lateral (select ${referenced} as target) r
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) m
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^pg_'
      and n.nspname <> all (${serverSchemas}::text[]) and m.users is not null and m.groups is not null
      and not (n.nspname = ${schema} and c.relname = ${table})
    order by (c.relname ~* ${memberNames}) desc, n.nspname <> 'public', n.nspname, c.relname limit ${maxChoices}::int`);

/**
 * Lists functions that return whether the user has access to a value, or return all values that the user has access to.
 */
const listMemberFunctions = (db: Queryable) =>
  db.query<MemberFunction>(sql`
    select n.nspname as schema, p.proname as name,
      case when p.pronargs = 1 then format_type(p.proargtypes[0], null) end as argument
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
    where p.prokind = 'f' and l.lanname not in ('c', 'internal') and n.nspname !~ '^pg_'
      and n.nspname <> all (${serverSchemas}::text[])
      and ((p.pronargs = 1 and p.prorettype = 'bool'::regtype and not p.proretset)
        or (p.pronargs = 0 and p.proretset and p.prorettype not in ('record'::regtype, 'trigger'::regtype)))
    order by (p.proname ~* ${memberNames}) desc, n.nspname, p.proname limit ${maxChoices}::int`);
