/** Finds the foreign keys of other tables that reference a table. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { ForeignKey, Relation } from './contract.ts';

/** A table that is referenced by more foreign keys than these is shown without the others. */
const maxKeys = 100;

/**
 * Returns the foreign keys that reference the table. `schema`, `table` and `columns` are those of the referencing table,
 * and `references` are columns of the given table. The copies of a key on partitions are left out.
 */
export async function findReferring(
  db: Queryable,
  { schema, name }: Pick<Relation, 'schema' | 'name'>,
): Promise<ForeignKey[]> {
  return db.query<ForeignKey>(sql`
    select k.conname as name, n.nspname as schema, t.relname as table,
           (select array_agg(a.attname::text order by u.place) from unnest(k.conkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number) as columns,
           (select array_agg(a.attname::text order by u.place) from unnest(k.confkey) with ordinality as u(number, place)
              join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.number) as references
    from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_namespace n on n.oid = t.relnamespace
      join pg_class r on r.oid = k.confrelid join pg_namespace rn on rn.oid = r.relnamespace
    where k.contype = 'f' and k.conparentid = 0 and rn.nspname = ${schema} and r.relname = ${name}
    order by n.nspname = ${schema} desc, n.nspname, t.relname, k.conname limit ${maxKeys}`);
}
