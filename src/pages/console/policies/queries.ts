/** Reads tables with their row-level security, policies and grants from the system catalogs. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { SecuredRelation } from './contract.ts';

/** The roles that API requests have by default. A project can add more roles. */
const apiRoles: readonly string[] = ['anon', 'authenticated', 'service_role'];

export type ListedRelation = Omit<SecuredRelation, 'turnedOff'> & {
  /** Whether operators can change the relation's policies. */
  readonly mayHavePolicies: boolean;
};

/**
 * Lists tables, views, materialized views and foreign tables. Only tables can have policies, but API roles can also read
 * the other relations.
 */
export const listRelations = (db: Queryable): Promise<ListedRelation[]> =>
  db.query<ListedRelation>(sql`
    select n.nspname as schema, c.relname as name, c.relrowsecurity as rls, c.relforcerowsecurity as forced,
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end as kind,
      pg_get_userbyid(c.relowner) as owner,
      coalesce((select o.option_value::boolean from pg_options_to_table(c.reloptions) o
        where o.option_name = 'security_invoker'), false) as invoker,
      -- INSTEAD OF triggers, as bits of tgtype.
      (select coalesce(json_agg(e.operation), '[]') from (values (4, 'insert'), (16, 'update'), (8, 'delete')) e (bit, operation)
        where exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgtype & 64 <> 0 and t.tgtype & e.bit <> 0)) as triggers,
      -- Only where policies can be written, by oneself or as a member of the owner.
      c.relkind in ('r', 'p') and pg_has_role('postgres', c.relowner, 'usage') as "mayHavePolicies",
      (select coalesce(json_agg(json_build_object('name', p.polname, 'permissive', p.polpermissive,
          'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
          'roles', (select json_agg(case when r = 0 then 'public' else pg_get_userbyid(r) end order by r) from unnest(p.polroles) r),
          'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
          order by p.polname), '[]')
        from pg_policy p where p.polrelid = c.oid) as policies,
      (select json_agg(json_build_object('role', r.rolname, 'bypasses', r.rolbypassrls or r.rolsuper,
          'select', u.held and has_any_column_privilege(r.oid, c.oid, 'select'),
          'insert', u.held and u.writes & 8 <> 0 and has_any_column_privilege(r.oid, c.oid, 'insert'),
          'update', u.held and u.writes & 4 <> 0 and has_any_column_privilege(r.oid, c.oid, 'update'),
          'delete', u.held and u.writes & 16 <> 0 and has_table_privilege(r.oid, c.oid, 'delete')) order by r.rolname)
        from pg_roles r, lateral (select has_schema_privilege(r.oid, n.oid, 'usage') as held,
          -- The commands that the relation supports, as bits. A grant alone doesn't make a view writable.
          pg_relation_is_updatable(c.oid, true) as writes) u
        where r.rolname = any (${apiRoles}::text[])) as grants
    from set_config('search_path', 'public, extensions', true), pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and n.nspname not in ('_plinth', 'information_schema', 'vault') and n.nspname not like 'pg\\_%'
    order by n.nspname <> 'public', n.nspname, c.relname`);

/** Lists the roles that can be selected in the policy editor. */
export const listRoles = async (db: Queryable): Promise<string[]> =>
  (
    await db.query<{ name: string }>(sql`
      select rolname::text as name from pg_roles
      where rolname = any (${apiRoles}::text[]) or pg_has_role('authenticator', oid, 'member')
      order by rolname <> all (${apiRoles}::text[]), rolname`)
  )
    .map(({ name }) => name)
    .filter((name) => name !== 'authenticator');
