/** Converts large objects to SQL statements. */
import { quoteIdentifier } from '../../base/kernel/sql.ts';
import { readBlocks, readLargeObjects } from './catalog/large-objects.ts';
import type { CatalogSession } from './catalog/session.ts';
import { grantStatements } from './core/acl.ts';
import { securityLabel } from './core/statements.ts';
import { literal } from './core/text.ts';
import type { Catalog } from './types.ts';

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
