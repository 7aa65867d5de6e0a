import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Operation } from './contract.ts';
import type { RelationFacts } from './facts.ts';

/** Returns the operations for which the role has the privilege on the table, or on at least one column. */
export async function privilegesOf(
  db: Queryable,
  { oid }: RelationFacts,
  role: string,
): Promise<Readonly<Record<Operation, boolean>>> {
  const [row] = await db.query<Record<Operation, boolean>>(sql`
    select u.held and has_any_column_privilege(r.oid, c.oid, 'select') as select,
      u.held and has_any_column_privilege(r.oid, c.oid, 'insert') as insert,
      u.held and has_any_column_privilege(r.oid, c.oid, 'update') as update,
      u.held and has_table_privilege(r.oid, c.oid, 'delete') as delete
    from pg_class c, pg_roles r, lateral (select has_schema_privilege(r.oid, c.relnamespace, 'usage') as held) u
    where c.oid = ${oid}::oid and r.rolname = ${role}`);
  return row ?? { select: false, insert: false, update: false, delete: false };
}
