/** Runs the fixed SQL statements, and defines the types of their rows. */

import { quoteIdentifier, sql } from '../../base/kernel/sql.ts';
import type { Pool, Queryable } from '../../platform/database/index.ts';
import { databaseName, settingKeys, settingOf } from './settings-table.ts';

export interface VersionRow {
  /** The PostgreSQL version as a number, for example 180004. */
  number: number;
  /** The version text that PostgreSQL reports. */
  text: string;
}

export async function selectVersion(db: Queryable): Promise<VersionRow> {
  const [row] = await db.query<VersionRow>(
    sql`select current_setting('server_version_num')::int as number, version() as text`,
  );
  return row as VersionRow;
}

const settable = settingKeys.filter((key) => settingOf(key).inDatabase === true).map(databaseName);

/**
 * Reads the `pgrst.*` settings. The sources, in order of decreasing precedence, are the login role's settings for this
 * database, its settings for all databases, and the settings that `preConfig` sets. `preConfig` is a function name,
 * with or without a schema.
 */
export async function selectServerSettings(
  pool: Pool,
  preConfig: string | undefined,
): Promise<Map<string, string>> {
  return pool.transaction(
    async (tx) => {
      const found = new Map<string, string>();
      if (preConfig !== undefined) {
        await tx.query(sql`select ${sql.raw(qualified(preConfig))}()`);
        const rows = await tx.query<{ name: string; value: string }>(sql`
          select name, current_setting(name, true) as value from unnest(${settable}::text[]) name
          where current_setting(name, true) is not null`);
        for (const { name, value } of rows) found.set(name, value);
      }
      const rows = await tx.query<{ name: string; value: string }>(sql`
        select split_part(s, '=', 1) as name, substr(s, strpos(s, '=') + 1) as value
        from pg_catalog.pg_db_role_setting r cross join unnest(r.setconfig) s
        where r.setrole = (select oid from pg_catalog.pg_roles where rolname = current_user)
          and r.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
          and split_part(s, '=', 1) = any (${settable}::text[])
        order by r.setdatabase`);
      for (const { name, value } of rows) found.set(name, value);
      return found;
    },
    { readOnly: true },
  );
}

function qualified(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1
    ? quoteIdentifier(name)
    : `${quoteIdentifier(name.slice(0, dot))}.${quoteIdentifier(name.slice(dot + 1))}`;
}

export const selectOne = (db: Queryable): Promise<unknown> => db.query(sql`select 1`);
