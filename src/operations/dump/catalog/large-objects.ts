/** Reads large objects in blocks, so that memory use doesn't depend on their size. */
import { sql } from '../../../base/kernel/sql.ts';
import type { CatalogSession } from './session.ts';

export interface LargeObjectRow {
  readonly oid: number;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly comment: string | null;
  readonly labels: { provider: string; label: string }[];
}

const rowsPerQuery = 1000;

/** Yields the large objects in the order of their OIDs. */
export async function* readLargeObjects({ query }: CatalogSession): AsyncGenerator<LargeObjectRow> {
  let after = 0;
  for (;;) {
    const rows = await query<LargeObjectRow>(sql`
      select m.oid, pg_get_userbyid(lomowner)::text as owner, lomacl::text[] as acl,
        obj_description(m.oid, 'pg_largeobject') as comment,
        coalesce((select json_agg(json_build_object('provider', provider, 'label', label) order by provider) from pg_seclabel
          where classoid = 'pg_largeobject'::regclass and objoid = m.oid), '[]') as labels
      from pg_largeobject_metadata m where m.oid > ${after}::oid order by m.oid limit ${rowsPerQuery}::int`);
    yield* rows;
    if (rows.length < rowsPerQuery) return;
    after = rows.at(-1)?.oid as number;
  }
}

const blockBytes = 256 * 1024;

/** Yields each block's position and its content as hexadecimal digits. Holes in a large object are read as zeros. */
export async function* readBlocks(
  { query }: CatalogSession,
  oid: number,
): AsyncGenerator<{ readonly offset: number; readonly hex: string }> {
  for (let offset = 0; ; offset += blockBytes) {
    const [row] = await query<{ hex: string }>(
      sql`select encode(lo_get(${oid}::oid, ${offset}::int8, ${blockBytes}::int4), 'hex') as hex`,
    );
    const { hex } = row as { hex: string };
    if (hex !== '') yield { offset, hex };
    if (hex.length < blockBytes * 2) return;
  }
}
