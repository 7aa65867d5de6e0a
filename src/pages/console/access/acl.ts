/** Reads access control lists, which PostgreSQL stores with each object. */
import { type Sql, sql } from '../../../base/kernel/sql.ts';

/** Returns the entries of an ACL as JSON. The ACL is null while an object only has its default privileges. */
export const grantsIn = (acl: Sql): Sql => sql`
  (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
      'role', g.role, 'privileges', g.privileges, 'grantable', g.grantable) order by g.role), '[]')
   from (
     select case when x.grantee = 0 then 'public' else pg_catalog.pg_get_userbyid(x.grantee) end as role,
       pg_catalog.array_agg(distinct pg_catalog.lower(x.privilege_type)) as privileges,
       coalesce(pg_catalog.array_agg(distinct pg_catalog.lower(x.privilege_type)) filter (where x.is_grantable), '{}')
         as grantable
     from pg_catalog.aclexplode(${acl}) x group by x.grantee) g)`;

/** Returns an object's ACL, or the privileges that an object of its kind has by default. */
export const aclOf = (acl: Sql, kind: Sql, owner: Sql): Sql =>
  sql`coalesce(${acl}, pg_catalog.acldefault(${kind}, ${owner}))`;

/** The types of a function's input arguments, as `schema.name`. */
export const argumentTypes = sql`
  (select coalesce(pg_catalog.array_agg(tn.nspname || '.' || t.typname order by u.place), '{}')
   from pg_catalog.unnest(p.proargtypes) with ordinality as u (type, place)
   join pg_catalog.pg_type t on t.oid = u.type join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace)`;
