import type { Queryable } from '../../database/index.ts';

/** A session for a dump. Its search path is empty so that PostgreSQL's functions return qualified names. */
export interface CatalogSession {
  readonly query: Queryable['query'];
  readonly serverVersion: number;
}

/** OIDs below this belong to objects that initdb created. */
export const firstUserOid = 16_384;
