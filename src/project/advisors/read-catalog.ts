import type { Queryable } from '../../platform/database/types.ts';
import type { Catalog } from './catalog.ts';
import {
  readBlockSize,
  readBypassingRoles,
  readExtensions,
  readForeignKeys,
  readFunctions,
  readIndexes,
  readPageStatistics,
  readPolicies,
  readPolicyRoles,
  readPublicBuckets,
  readRelations,
  readUsersViews,
} from './queries.ts';

/** Reads the catalog data that the rules need. The session's search path must be empty. */
export async function readCatalog(db: Queryable, exposedSchemas: readonly string[]): Promise<Catalog> {
  const statistics = new Map((await readPageStatistics(db)).map(({ oid, ...pages }) => [oid, pages]));
  const relations = await readRelations(db);
  return {
    exposedSchemas,
    relations: relations.map((relation) => ({ ...relation, pages: statistics.get(relation.oid) ?? null })),
    policies: await readPolicies(db),
    foreignKeys: await readForeignKeys(db),
    indexes: await readIndexes(db),
    functions: await readFunctions(db),
    extensions: await readExtensions(db),
    usersViews: await readUsersViews(db),
    policyRoles: await readPolicyRoles(db),
    bypassingRoles: await readBypassingRoles(db),
    publicBuckets: await readPublicBuckets(db),
    blockSize: await readBlockSize(db),
  };
}
