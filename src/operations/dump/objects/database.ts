/**
 * Reads and renders schemas, extensions, event triggers and publications. Also reads default privileges, comments and
 * dependencies.
 */
import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import { list, literal } from '../core/text.ts';
import type { CatalogObject, CatalogSession, Comment, DefaultAcl, Dependency } from '../types.ts';

interface SchemaRow {
  readonly oid: number;
  readonly name: string;
  readonly quoted: string;
  readonly owner: string;
  readonly acl: string[] | null;
}

export const readSchemas = ({ query }: CatalogSession): Promise<SchemaRow[]> =>
  query(sql`
    select oid, nspname as name, quote_ident(nspname) as quoted, pg_get_userbyid(nspowner)::text as owner,
      nspacl::text[] as acl
    from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'`);

interface ExtensionRow {
  readonly oid: number;
  readonly name: string;
  readonly quoted: string;
  /** The schema of the extension. The value is null if the extension's script creates the schema. */
  readonly schema: string | null;
  readonly owner: string;
}

/** Returns the extensions, without those that every database has. */
export const readExtensions = ({ query }: CatalogSession): Promise<ExtensionRow[]> =>
  query(sql`
    select e.oid, extname as name, quote_ident(extname) as quoted, pg_get_userbyid(extowner)::text as owner,
      case when not exists (
        select from pg_depend d
        where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e'
      ) then quote_ident(nspname) end as schema
    from pg_extension e join pg_namespace n on n.oid = extnamespace
    where e.oid >= 16384`);

interface EventTriggerRow {
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

interface PublicationRow {
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

export const schemaObject = (row: SchemaRow): CatalogObject => ({
  key: `pg_namespace:${row.oid}`,
  kind: 'SCHEMA',
  schema: row.name,
  name: row.name,
  identity: row.quoted,
  section: 'pre',
  owner: row.name === 'public' && row.owner === 'pg_database_owner' ? undefined : row.owner,
  acl: { target: 'SCHEMA', items: row.acl },
  create: () => [`CREATE SCHEMA IF NOT EXISTS ${row.quoted}`],
});

/** Schemas that exist in every target database. The dump may exclude other schemas that contain extensions. */
const commonSchemas = new Set(['public', 'extensions', 'pg_catalog']);

export const extensionObject = (row: ExtensionRow): CatalogObject => ({
  key: `pg_extension:${row.oid}`,
  kind: 'EXTENSION',
  name: row.name,
  identity: row.quoted,
  section: 'pre',
  creator: row.owner,
  create: () => [
    ...(row.schema === null || commonSchemas.has(row.schema)
      ? []
      : [`CREATE SCHEMA IF NOT EXISTS ${row.schema}`]),
    `CREATE EXTENSION IF NOT EXISTS ${row.quoted}${row.schema === null ? '' : ` WITH SCHEMA ${row.schema}`}`,
  ],
});

const states: Readonly<Record<string, string>> = {
  A: 'ENABLE ALWAYS',
  R: 'ENABLE REPLICA',
  D: 'DISABLE',
};

export const eventTriggerObject = (row: EventTriggerRow): CatalogObject => ({
  key: `pg_event_trigger:${row.oid}`,
  kind: 'EVENT TRIGGER',
  schema: row.functionSchema,
  name: row.name,
  identity: row.name,
  section: 'final',
  owner: row.owner,
  needs: [`pg_proc:${row.functionOid}`],
  create: () => [
    `CREATE EVENT TRIGGER ${row.name} ON ${row.event}` +
      (row.tags === null ? '' : `\n    WHEN TAG IN (${list(row.tags.map(literal))})`) +
      `\n    EXECUTE FUNCTION ${row.function}()`,
    ...(states[row.enabled] === undefined ? [] : [`ALTER EVENT TRIGGER ${row.name} ${states[row.enabled]}`]),
  ],
});

/** The publication that every Plinth database and every database of the hosted service has. */
const predefinedPublication = 'supabase_realtime';

/** Omits tables in schemas for which `includes` returns false, because such tables aren't part of the dump. */
export function publicationObject(row: PublicationRow, includes: (schema: string) => boolean): CatalogObject {
  const { name } = row;
  const parameters = [
    `publish = ${literal(row.publish)}`,
    ...(row.viaRoot ? ['publish_via_partition_root = true'] : []),
    ...(row.generatedColumns === null ? [] : ["publish_generated_columns = 'stored'"]),
  ];
  const create = `CREATE PUBLICATION ${name}${row.allTables ? ' FOR ALL TABLES' : ''} WITH (${list(parameters)})`;
  const guarded =
    `DO $$BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_publication WHERE pubname = ${literal(name)}) ` +
    `THEN ${create}; END IF; END$$`;
  const tables = row.tables.filter(({ schema }) => includes(schema));
  const schemas = row.schemas.filter(includes);
  return {
    key: `pg_publication:${row.oid}`,
    kind: 'PUBLICATION',
    name,
    identity: name,
    section: 'post',
    owner: row.owner,
    needs: tables.map(({ oid }) => `pg_class:${oid}`),
    create: () => [
      name === predefinedPublication ? guarded : create,
      ...tables.map(
        ({ table, columns, where }) =>
          `ALTER PUBLICATION ${name} ADD TABLE ONLY ${table}${columns === null ? '' : ` (${columns})`}` +
          (where === null ? '' : ` WHERE (${where})`),
      ),
      ...schemas.map((schema) => `ALTER PUBLICATION ${name} ADD TABLES IN SCHEMA ${quoteIdentifier(schema)}`),
    ],
  };
}
