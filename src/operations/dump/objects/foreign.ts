import { quoteIdentifier, sql } from '../../../base/kernel/sql.ts';
import { foreignOptions, literal } from '../core/text.ts';
import type { CatalogObject, CatalogSession } from '../types.ts';

interface WrapperRow {
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

interface ServerRow {
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

interface UserMappingRow {
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

export const wrapperObject = (row: WrapperRow): CatalogObject => ({
  key: `pg_foreign_data_wrapper:${row.oid}`,
  kind: 'FOREIGN DATA WRAPPER',
  name: row.name,
  identity: row.name,
  section: 'pre',
  owner: row.owner,
  acl: { target: 'FOREIGN DATA WRAPPER', items: row.acl },
  create: () => [
    `CREATE FOREIGN DATA WRAPPER ${row.name}` +
      (row.handler === null ? '' : ` HANDLER ${row.handler}`) +
      (row.validator === null ? '' : ` VALIDATOR ${row.validator}`) +
      foreignOptions(row.options),
  ],
});

export const serverObject = (row: ServerRow): CatalogObject => ({
  key: `pg_foreign_server:${row.oid}`,
  kind: 'SERVER',
  name: row.name,
  identity: row.name,
  section: 'pre',
  owner: row.owner,
  acl: { target: 'FOREIGN SERVER', items: row.acl },
  create: () => [
    `CREATE SERVER ${row.name}` +
      (row.type === null ? '' : ` TYPE ${literal(row.type)}`) +
      (row.version === null ? '' : ` VERSION ${literal(row.version)}`) +
      ` FOREIGN DATA WRAPPER ${row.wrapper}${foreignOptions(row.options)}`,
  ],
});

const isPassword = (option: string): boolean => option.startsWith('password=');

/** Renders a user mapping without its password. */
export function userMappingObject(row: UserMappingRow): CatalogObject {
  const user = row.user === null ? 'PUBLIC' : quoteIdentifier(row.user);
  const identity = `FOR ${user} SERVER ${row.server}`;
  const options = (row.options ?? []).filter((option) => !isPassword(option));
  return {
    key: `pg_user_mapping:${row.oid}`,
    kind: 'USER MAPPING',
    name: identity,
    identity,
    section: 'pre',
    needs: [`pg_foreign_server:${row.serverOid}`],
    create: () => [`CREATE USER MAPPING ${identity}${foreignOptions(options)}`],
  };
}
