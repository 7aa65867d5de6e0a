import { sql } from '../../../base/kernel/sql.ts';
import type { CatalogSession } from './session.ts';

export interface WrapperRow {
  readonly oid: number;
  readonly name: string;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly handler: string | null;
  readonly validator: string | null;
  readonly options: string[] | null;
}

export const readWrappers = ({ query }: CatalogSession): Promise<WrapperRow[]> =>
  query(sql`
    select oid, quote_ident(fdwname) as name, pg_get_userbyid(fdwowner)::text as owner, fdwacl::text[] as acl,
      nullif(fdwhandler::oid, 0)::regproc::text as handler, nullif(fdwvalidator::oid, 0)::regproc::text as validator,
      fdwoptions as options
    from pg_foreign_data_wrapper where oid >= 16384`);

export interface ServerRow {
  readonly oid: number;
  readonly name: string;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly wrapper: string;
  readonly type: string | null;
  readonly version: string | null;
  readonly options: string[] | null;
}

export const readServers = ({ query }: CatalogSession): Promise<ServerRow[]> =>
  query(sql`
    select s.oid, quote_ident(srvname) as name, pg_get_userbyid(srvowner)::text as owner, srvacl::text[] as acl,
      quote_ident(fdwname) as wrapper, srvtype as type, srvversion as version, srvoptions as options
    from pg_foreign_server s join pg_foreign_data_wrapper w on w.oid = srvfdw where s.oid >= 16384`);

export interface UserMappingRow {
  readonly oid: number;
  /** Null for PUBLIC. */
  readonly user: string | null;
  readonly server: string;
  readonly serverOid: number;
  /** The value is null if the account isn't allowed to read the options. */
  readonly options: string[] | null;
}

export const readUserMappings = ({ query }: CatalogSession): Promise<UserMappingRow[]> =>
  query(sql`
    select umid as oid, case when umuser <> 0 then usename::text end as user, quote_ident(srvname) as server,
      srvid as "serverOid", umoptions as options
    from pg_user_mappings`);
