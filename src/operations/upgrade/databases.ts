/** Reads a cluster's databases with their properties and recreates them in the new cluster. */

import { quoteIdentifier, quoteLiteral, sql } from '../../base/kernel/sql.ts';
import type { CopySession } from '../../platform/database/index.ts';

export interface DatabaseRow {
  readonly name: string;
  readonly owner: string;
  readonly isTemplate: boolean;
  readonly allowsConnections: boolean;
  readonly connectionLimit: number;
  readonly encoding: string;
  readonly provider: 'icu' | 'libc' | 'builtin';
  readonly collate: string;
  readonly ctype: string;
  readonly locale: string | null;
  readonly rules: string | null;
  readonly comment: string | null;
  /** GRANT and REVOKE statements for differences from the initial privileges. */
  readonly privileges: string[];
  readonly sizeBytes: number;
}

export async function readDatabases({ query, serverVersion }: CopySession): Promise<DatabaseRow[]> {
  const locale = sql.raw(serverVersion >= 170_000 ? 'd.datlocale' : 'd.daticulocale');
  const rules = sql.raw(serverVersion >= 160_000 ? 'd.daticurules' : 'null::text');
  return await query(sql`
    select datname::text as name, pg_get_userbyid(datdba)::text as owner, datistemplate as "isTemplate",
      datallowconn as "allowsConnections", datconnlimit as "connectionLimit", pg_encoding_to_char(encoding)::text as encoding,
      case datlocprovider when 'i' then 'icu' when 'b' then 'builtin' else 'libc' end as provider,
      datcollate::text as collate, datctype::text as ctype, ${locale}::text as locale, ${rules} as rules,
      shobj_description(d.oid, 'pg_database') as comment, pg_database_size(d.oid)::float8 as "sizeBytes",
      array(
        select format('REVOKE %s ON DATABASE %I FROM PUBLIC', p, datname) from unnest(array['CONNECT', 'TEMPORARY']) p
        where datacl is not null and not exists (select from aclexplode(datacl) where grantee = 0 and privilege_type = p)
        union all
        select format('GRANT %s ON DATABASE %I TO %s%s', privilege_type, datname,
          case grantee when 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(grantee)) end,
          case when is_grantable then ' WITH GRANT OPTION' else '' end)
        from aclexplode(datacl)) as privileges
    from pg_database d where datname <> 'template0' order by datname`);
}

/**
 * Creates the database with the source's locale. An existing database with this name, such as `postgres`, is replaced.
 */
export async function createDatabaseLike(maintenance: CopySession, row: DatabaseRow): Promise<void> {
  const name = quoteIdentifier(row.name);
  const icu = row.provider === 'icu' ? ` icu_locale ${quoteLiteral(row.locale ?? '')}` : '';
  const builtin = row.provider === 'builtin' ? ` builtin_locale ${quoteLiteral(row.locale ?? '')}` : '';
  const rules = row.rules === null ? '' : ` icu_rules ${quoteLiteral(row.rules)}`;
  await maintenance.exec(`drop database if exists ${name}`);
  await maintenance.exec(
    `create database ${name} template template0 encoding ${quoteLiteral(row.encoding)} locale_provider ${row.provider}
       lc_collate ${quoteLiteral(row.collate)} lc_ctype ${quoteLiteral(row.ctype)}${icu}${builtin}${rules}`,
  );
}

/**
 * Sets the properties that could have prevented connections during the move. Must run in a session that is connected to
 * a different database.
 */
export async function finishDatabase(maintenance: CopySession, row: DatabaseRow): Promise<void> {
  const name = quoteIdentifier(row.name);
  const statements = [
    `alter database ${name} owner to ${quoteIdentifier(row.owner)}`,
    `alter database ${name} with connection limit ${row.connectionLimit} is_template ${row.isTemplate}`,
    ...row.privileges,
    ...(row.comment === null ? [] : [`comment on database ${name} is ${quoteLiteral(row.comment)}`]),
  ];
  for (const statement of statements) await maintenance.exec(statement);
}
