/**
 * Defines and runs the reports about the state of a database. The reports read only the catalogs and the statistics.
 */
import { sql } from '../../../base/kernel/sql.ts';
import { superuserSearchPath } from '../superuser.ts';
import type { Pool, Queryable } from '../types.ts';
import { calls, connections, locks, replication, running, slow } from './activity.ts';
import { bloat, cache, indexes, sizes } from './tables.ts';
import type { Report, ReportDefinition } from './types.ts';

export type { Cell, CellKind, Column, Report } from './types.ts';

export const reports = {
  slow,
  calls,
  running,
  locks,
  connections,
  sizes,
  bloat,
  indexes,
  cache,
  replication,
} as const satisfies Readonly<Record<string, ReportDefinition>>;

export type ReportName = keyof typeof reports;

export const isReportName = (name: string): name is ReportName => Object.hasOwn(reports, name);

/**
 * Runs a report. Returns undefined if the report requires an extension that the database doesn't have. The login may be
 * a superuser, so the report's queries use only PostgreSQL's own operators and functions, even if the project defines
 * some that are a better match.
 */
export async function inspect(pool: Pool, name: ReportName): Promise<Report | undefined> {
  const { columns, query, needs }: ReportDefinition = reports[name];
  return await pool.transaction(
    async (transaction) => {
      if (needs !== undefined && !(await hasExtension(transaction, needs))) return undefined;
      return { name, columns, rows: await transaction.query(query) };
    },
    { readOnly: true, settings: [['search_path', superuserSearchPath]] },
  );
}

/**
 * For a superuser, also checks that a superuser owns the extension's view. A view with a different owner could have
 * been replaced with a view that calls the project's functions.
 */
async function hasExtension(db: Queryable, name: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = e.extname
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid
      and d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass and d.refobjid = e.oid and d.deptype = 'e'
    where e.extname = ${name} and n.nspname = 'extensions'
      and (not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
        or (select rolsuper from pg_catalog.pg_roles where oid = c.relowner))`);
  return rows.length > 0;
}
