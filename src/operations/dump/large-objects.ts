/** Reads large objects in blocks, so that memory use doesn't depend on their size, and converts them to SQL statements. */
import { quoteIdentifier, sql } from '../../base/kernel/sql.ts';
import { grantStatements } from './core/acl.ts';
import { securityLabel } from './core/statements.ts';
import { literal } from './core/text.ts';
import type { Catalog, CatalogSession } from './types.ts';

/**
 * Yields the statements of one large object at a time. Large objects keep their OIDs, because tables refer to them by
 * OID.
 */
export async function* largeObjectStatements(
  session: CatalogSession,
  context: Pick<Catalog, 'defaultAcls' | 'apiRoles' | 'serverVersion'>,
): AsyncGenerator<string> {
  for await (const { oid, owner, acl, comment, labels } of readLargeObjects(session)) {
    const identity = String(oid);
    yield `SELECT pg_catalog.lo_create(${identity})`;
    for await (const { offset, hex } of readBlocks(session, oid))
      yield `SELECT pg_catalog.lo_put(${identity}, ${offset}, '\\x${hex}')`;
    yield `ALTER LARGE OBJECT ${identity} OWNER TO ${quoteIdentifier(owner)}`;
    const object = { identity, kind: 'LARGE OBJECT' } as const;
    yield* grantStatements(object, { target: 'LARGE OBJECT', items: acl }, owner, context);
    if (comment !== null) yield `COMMENT ON LARGE OBJECT ${identity} IS ${literal(comment)}`;
    for (const { provider, label } of labels)
      yield securityLabel(provider, `LARGE OBJECT ${identity}`, label);
  }
}

interface LargeObjectRow {
  readonly oid: number;
  readonly owner: string;
  readonly acl: string[] | null;
  readonly comment: string | null;
  readonly labels: { provider: string; label: string }[];
}

const rowsPerQuery = 1000;

/** Yields the large objects in the order of their OIDs. */
async function* readLargeObjects({ query }: CatalogSession): AsyncGenerator<LargeObjectRow> {
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
async function* readBlocks(
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
