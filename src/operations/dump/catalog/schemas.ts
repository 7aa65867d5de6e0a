import { sql } from '../../../base/kernel/sql.ts';
import type { CatalogSession } from './session.ts';

export interface SchemaRow {
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

export interface ExtensionRow {
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
