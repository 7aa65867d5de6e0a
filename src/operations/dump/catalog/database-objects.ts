/** Reads event triggers, publications, default privileges, comments and dependencies. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Comment, DefaultAcl, Dependency } from '../types.ts';
import type { CatalogSession } from './session.ts';

export interface EventTriggerRow {
  readonly oid: number;
  readonly name: string;
  readonly owner: string;
  readonly event: string;
  readonly tags: string[] | null;
  readonly function: string;
  readonly functionSchema: string;
  readonly functionOid: number;
  readonly enabled: string;
}

export const readEventTriggers = ({ query }: CatalogSession): Promise<EventTriggerRow[]> =>
  query(sql`
    select e.oid, quote_ident(evtname) as name, pg_get_userbyid(evtowner)::text as owner, evtevent as event, evttags as tags,
      p.oid::regproc::text as function, n.nspname as "functionSchema", p.oid as "functionOid", evtenabled as enabled
    from pg_event_trigger e join pg_proc p on p.oid = evtfoid join pg_namespace n on n.oid = p.pronamespace
    where e.oid >= 16384`);

export interface PublicationRow {
  readonly oid: number;
  readonly name: string;
  readonly owner: string;
  readonly allTables: boolean;
  readonly publish: string;
  readonly viaRoot: boolean;
  readonly generatedColumns: string | null;
  readonly schemas: string[];
  readonly tables: {
    table: string;
    schema: string;
    oid: number;
    columns: string | null;
    where: string | null;
  }[];
}

export async function readPublications({ query, serverVersion }: CatalogSession): Promise<PublicationRow[]> {
  const generated = sql.raw(serverVersion >= 180_000 ? "nullif(p.pubgencols::text, 'n')" : 'null');
  return await query(sql`
    select p.oid, quote_ident(pubname) as name, pg_get_userbyid(pubowner)::text as owner, puballtables as "allTables",
      concat_ws(', ', case when pubinsert then 'insert' end, case when pubupdate then 'update' end,
        case when pubdelete then 'delete' end, case when pubtruncate then 'truncate' end) as publish,
      pubviaroot as "viaRoot", ${generated} as "generatedColumns",
      array(select nspname::text from pg_publication_namespace pn join pg_namespace n on n.oid = pnnspid
        where pnpubid = p.oid order by 1) as schemas,
      coalesce((
        select json_agg(json_build_object('table', prrelid::regclass::text, 'oid', prrelid::int8, 'schema', n.nspname,
          'columns', (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
            where attrelid = prrelid and attnum = any (prattrs::int2[])),
          'where', pg_get_expr(prqual, prrelid)) order by prrelid::regclass::text)
        from pg_publication_rel join pg_class c on c.oid = prrelid join pg_namespace n on n.oid = c.relnamespace
        where prpubid = p.oid), '[]') as tables
    from pg_publication p where p.oid >= 16384`);
}

export const readDefaultAcls = ({ query }: CatalogSession): Promise<DefaultAcl[]> =>
  query(sql`
    select pg_get_userbyid(defaclrole)::text as role, nspname::text as schema, defaclobjtype::text as type,
      defaclacl::text[] as items
    from pg_default_acl left join pg_namespace n on n.oid = defaclnamespace
    order by 1, 2 nulls first, 3`);

export const readComments = ({ query }: CatalogSession): Promise<Comment[]> =>
  query(sql`
    select classoid::regclass || ':' || objoid as key, quote_ident(attname) as column, description as text
    from pg_description d
    left join pg_attribute a on d.classoid = 'pg_class'::regclass and a.attrelid = d.objoid and a.attnum = d.objsubid and d.objsubid > 0
    where classoid <> 'pg_extension'::regclass and (
      objoid >= 16384
      or (classoid = 'pg_namespace'::regclass and objoid = to_regnamespace('public') and description <> 'standard public schema'))
    order by classoid, objoid, objsubid`);

/**
 * Reads dependencies, including those that make an object a member of an extension, because members aren't created
 * separately.
 */
export const readDependencies = ({ query }: CatalogSession): Promise<(Dependency & { type: string })[]> =>
  query(sql`
    select distinct classid::regclass || ':' || objid as from, refclassid::regclass || ':' || refobjid as to, deptype::text as type
    from pg_depend
    where objid >= 16384 and refobjid >= 16384`);

/** Extensions' tables whose rows belong to the database and not to the extension. */
export const readExtensionTables = ({
  query,
}: CatalogSession): Promise<{ oid: number; condition: string }[]> =>
  query(sql`
    select c.oid, c.condition from pg_extension e, unnest(extconfig, extcondition) as c(oid, condition) where extconfig is not null`);

/** Reads security labels, in the same format as comments. */
export const readLabels = ({ query }: CatalogSession): Promise<Comment[]> =>
  query(sql`
    select classoid::regclass || ':' || objoid as key, quote_ident(attname) as column, label as text, provider
    from (select classoid, objoid, objsubid, provider, label from pg_seclabel
      union all select classoid, objoid, 0, provider, label from pg_shseclabel
        where classoid = 'pg_subscription'::regclass) l
    left join pg_attribute a on classoid = 'pg_class'::regclass and a.attrelid = objoid and a.attnum = objsubid and objsubid > 0
    where objoid >= 16384 and classoid <> 'pg_largeobject'::regclass
    order by classoid, objoid, objsubid, provider`);
