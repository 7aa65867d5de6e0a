/**
 * Steps of a database move that change the target's catalogs directly: privileges of PostgreSQL's own objects, the rows
 * of Plinth's guard, and the validation of foreign keys.
 */
import { quoteLiteral, type Sql, sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';

interface PrivilegeRow {
  /** The object as written after ON in a GRANT statement, such as `ROUTINE pg_catalog.lower(text)`. */
  readonly object: string;
  readonly owner: string;
  /** The object as written in an ALTER … OWNER TO statement. Null if the upgrade never changes the object's owner. */
  readonly kind: string | null;
  readonly privileges: string[];
  readonly initial: string[];
}

/** Returns a query for the objects that match `wanted`, which is a condition on `classid` and `oid`. */
const objects = (wanted: Sql): Sql => sql`
  with objects as (
    select 'pg_class'::regclass as classid, c.oid, case c.relkind when 'S' then 'SEQUENCE ' else 'TABLE ' end || c.oid::regclass as object,
      c.relowner as owner, coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner)) as acl,
      case c.relkind when 'S' then 'SEQUENCE' when 'v' then 'VIEW' when 'm' then 'MATERIALIZED VIEW' when 'f' then 'FOREIGN TABLE' else 'TABLE' end || ' ' || c.oid::regclass as kind
    from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select 'pg_proc'::regclass, p.oid, 'ROUTINE ' || p.oid::regprocedure, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner)),
      'ROUTINE ' || p.oid::regprocedure from pg_proc p
    union all
    select 'pg_namespace'::regclass, n.oid, format('SCHEMA %I', nspname), nspowner, coalesce(nspacl, acldefault('n', nspowner)),
      format('SCHEMA %I', nspname) from pg_namespace n where nspname !~ '^pg_(temp|toast)' and nspname <> 'public'
    union all
    select 'pg_type'::regclass, t.oid, 'TYPE ' || t.oid::regtype, typowner, coalesce(typacl, acldefault('T', typowner)), 'TYPE ' || t.oid::regtype
      from pg_type t where typtype in ('b', 'd', 'e', 'r') and not exists (select from pg_type e where e.typarray = t.oid)
    union all
    select 'pg_language'::regclass, l.oid, format('LANGUAGE %I', lanname), lanowner, coalesce(lanacl, acldefault('l', lanowner)), null
      from pg_language l where lanpltrusted
  )
  select object, pg_get_userbyid(owner)::text as owner, kind, ${itemsOf('o.acl')} as privileges, ${itemsOf('i.initprivs')} as initial
  from objects o left join pg_init_privs i on i.classoid = o.classid and i.objoid = o.oid and i.objsubid = 0
  where ${wanted}
  order by object`;

/**
 * Returns an expression for the items of an access control list. Each item consists of a privilege, `*` if it is
 * grantable, a space, and the role. The object owner's privileges are omitted, because the owners are superusers and
 * don't need privileges.
 */
const itemsOf = (acl: string): Sql =>
  sql.raw(`array(select privilege_type || case when is_grantable then '* ' else ' ' end
    || case grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(grantee)) end
    from aclexplode(${acl}) where privilege_type <> 'MAINTAIN' and grantee <> o.owner order by 1)`);

const isMember = sql.raw(
  `exists (select from pg_depend d where d.classid = o.classid and d.objid = o.oid and d.deptype = 'e')`,
);

/**
 * Returns GRANT and REVOKE statements for privileges that a dump doesn't contain. For objects created by initdb, only
 * changed privileges are included. For objects created by extensions, all privileges are included.
 */
export async function systemPrivileges(source: CopySession): Promise<string[]> {
  const rows = await source.query<PrivilegeRow>(
    objects(sql`o.oid < 16384 and o.acl is distinct from coalesce(i.initprivs, case when o.classid = 'pg_proc'::regclass
      then acldefault('f', o.owner) when o.classid = 'pg_type'::regclass then acldefault('T', o.owner)
      when o.classid = 'pg_language'::regclass then acldefault('l', o.owner) when o.classid = 'pg_namespace'::regclass
      then acldefault('n', o.owner) else acldefault('r', o.owner) end) and not ${isMember}`),
  );
  return rows.flatMap(({ object, privileges, initial }) => {
    // Objects without a row in pg_init_privs started with the default privileges, which let PUBLIC use functions, types
    // and languages.
    const before = initial.length > 0 ? initial : publicOf(object);
    return changes(object, before, privileges);
  });
}

const publicOf = (object: string): string[] =>
  object.startsWith('ROUTINE ')
    ? ['EXECUTE PUBLIC']
    : /^(TYPE|LANGUAGE) /.test(object)
      ? ['USAGE PUBLIC']
      : [];

/** Returns the statements that set the owners and privileges of extensions' objects to those in the source. */
export async function alignMembers(source: CopySession, target: CopySession): Promise<string[]> {
  const [before, after] = [
    await source.query<PrivilegeRow>(objects(isMember)),
    await target.query<PrivilegeRow>(objects(isMember)),
  ];
  const known = new Map(after.map((row) => [row.object, row]));
  return before.flatMap(({ object, owner, kind, privileges }) => {
    const now = known.get(object);
    if (now === undefined) return [];
    const owned = kind === null || owner === now.owner ? [] : [`ALTER ${kind} OWNER TO ${quoteRole(owner)}`];
    return [...owned, ...changes(object, now.privileges, privileges)];
  });
}

const quoteRole = (role: string): string => `"${role.replaceAll('"', '""')}"`;

function changes(object: string, before: readonly string[], after: readonly string[]): string[] {
  const parts = (item: string) => {
    const at = item.indexOf(' ');
    const privilege = item.slice(0, at);
    return { name: privilege.replace('*', ''), grantable: privilege.endsWith('*'), role: item.slice(at + 1) };
  };
  const revoked = before.filter((item) => !after.includes(item)).map(parts);
  const granted = after.filter((item) => !before.includes(item)).map(parts);
  return [
    ...revoked.map(({ name, role }) => `REVOKE ${name} ON ${object} FROM ${role} CASCADE`),
    ...granted.map(
      ({ name, role, grantable }) =>
        `GRANT ${name} ON ${object} TO ${role}${grantable ? ' WITH GRANT OPTION' : ''}`,
    ),
  ];
}

export const movedGuard = '_plinth.guarded';

interface GuardedRow {
  readonly schema: string;
  readonly table: string;
  readonly column: string | null;
  readonly owner: string;
}

/**
 * Moves the rows of Plinth's guard (src/platform/database/sql/0001_guards.sql), which identify tables, columns and
 * owners by number. The numbers differ in a new cluster, so this function looks up the new numbers by name. Does
 * nothing if the database doesn't have a guard.
 */
export async function moveGuard(source: CopySession, target: CopySession): Promise<void> {
  const [found] = await source.query<{ exists: boolean }>(
    sql`select to_regclass('_plinth.guarded') is not null as exists`,
  );
  if (found?.exists !== true) return;
  const rows = await source.query<GuardedRow>(sql`
    select n.nspname::text as schema, c.relname::text as table, a.attname::text as column, pg_get_userbyid(g.owner)::text as owner
    from _plinth.guarded g join pg_class c on c.oid = g.relid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = g.relid and a.attnum = g.attnum and g.attnum > 0
    where g.attnum = 0 or not a.attisdropped`);
  await target.query(sql`
    insert into _plinth.guarded (relid, attnum, name, schema, owner)
    select c.oid, coalesce(a.attnum, 0), coalesce(a.attname, c.relname), n.nspname, r.oid
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g (schema name, "table" name, "column" name, owner name)
    join pg_namespace n on n.nspname = g.schema
    join pg_class c on c.relnamespace = n.oid and c.relname = g."table"
    join pg_roles r on r.rolname = g.owner
    left join pg_attribute a on a.attrelid = c.oid and a.attname = g."column"
    where g."column" is null or a.attnum is not null`);
}

/**
 * Marks foreign keys as validated. The old cluster has enforced the foreign keys, and the comparison of both clusters
 * proves that the rows are equal. The superuser's VALIDATE CONSTRAINT would plan a query, which would evaluate the
 * project's index predicates as the superuser.
 */
export async function validateForeignKeys(source: CopySession, target: CopySession): Promise<void> {
  const kept = await source.query<{ name: string; table: string }>(sql`
    select conname::text as name, conrelid::regclass::text as table from pg_constraint
    where contype = 'f' and not convalidated`);
  const enforced = target.serverVersion >= 180_000 ? 'and k.conenforced' : '';
  await target.exec(`begin; set local allow_system_table_mods = on;
    update pg_catalog.pg_constraint k set convalidated = true
      where k.contype = 'f' and not k.convalidated ${enforced} and not exists (
        select from jsonb_to_recordset(${quoteLiteral(JSON.stringify(kept))}::jsonb) as s (name name, "table" text)
        where s.name = k.conname and s."table"::pg_catalog.regclass = k.conrelid);
    commit`);
}
