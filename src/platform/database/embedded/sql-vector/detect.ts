/** Finds the SQL-only extension `vector` of Plinth 0.2. */
import { sql } from '../../../../base/kernel/sql.ts';
import type { Queryable } from '../../types.ts';

/** Whether the database contains the SQL-only extension. */
export async function hasSqlVector(db: Pick<Queryable, 'query'>): Promise<boolean> {
  const rows = await db.query(sql`
    select from pg_catalog.pg_extension e
    join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_extension'::regclass and d.refobjid = e.oid
    join pg_catalog.pg_proc p on d.classid = 'pg_catalog.pg_proc'::regclass and p.oid = d.objid
    where e.extname = 'vector' and p.proname = 'vector_in' and p.prosrc = 'json_in'`);
  return rows.length > 0;
}
