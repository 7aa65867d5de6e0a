import type { Queryable } from '../../../platform/database/index.ts';

/**
 * A session that reads the catalogs for a dump. The session's search path is empty, so that PostgreSQL's functions
 * return qualified names.
 */
export interface CatalogSession {
  readonly query: Queryable['query'];
  readonly serverVersion: number;
}

/** The lowest OID of objects that initdb didn't create. */
export const firstUserOid = 16_384;
