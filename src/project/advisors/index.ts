/**
 * Checks a database for security and performance problems. Includes the rules of Supabase's splinter that apply to
 * Plinth, with the same names, levels and cache keys, and additional rules.
 */
import type { Pool } from '../../platform/database/types.ts';
import { findingsOf } from './core/rule.ts';
import { rules } from './core/rules.ts';
import { readCatalog } from './read-catalog.ts';
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
