/**
 * Checks a database for security and performance problems. Includes the rules of Supabase's splinter that apply to
 * Plinth, with the same names, levels and cache keys, and additional rules.
 */
import type { Pool, Queryable } from '../../platform/database/types.ts';
import type { Catalog } from './catalog.ts';
import { findingsOf } from './core/rule.ts';
import { rules } from './core/rules.ts';
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
import { type Finding, findingLevels } from './types.ts';

export {
  type Finding,
  type FindingCategory,
  type FindingLevel,
  type Fix,
  findingCategories,
  findingLevels,
} from './types.ts';

export interface AdvisorOptions {
  /** The schemas that the REST API exposes. An empty list means the schema `public`, as in the configuration. */
  readonly exposedSchemas: readonly string[];
}

/** Runs all rules and returns their findings, most severe first. Doesn't change the database. */
export async function runAdvisors(pool: Pool, { exposedSchemas }: AdvisorOptions): Promise<Finding[]> {
  const session = await pool.connect();
  try {
    const catalog = await session.transaction(
      (tx) => readCatalog(tx, exposedSchemas.length > 0 ? exposedSchemas : ['public']),
      {
        end: 'rollback',
        settings: [
          ['search_path', ''],
          ['transaction_read_only', 'on'],
        ],
      },
    );
    const rank = ({ level }: Finding): number => -findingLevels.indexOf(level);
    return rules.flatMap((rule) => findingsOf(rule, catalog)).sort((left, right) => rank(left) - rank(right));
  } finally {
    session.destroy();
  }
}

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
