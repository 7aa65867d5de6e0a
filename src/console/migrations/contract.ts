/** The migrations page: the project's files compared with the database's history. */
import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const version = z.string().regex(/^\d{1,50}$/, 'must contain only digits');
const run = z.object({
  /** Whether to include files older than the newest applied migration. */
  includeAll: z.boolean().default(false),
});
const repair = z.object({ version, status: z.enum(['applied', 'reverted']) });

/** A migration file, or a history entry without a file. */
export interface Migration {
  readonly version: string;
  readonly name: string;
  /**
   * `changed`: the file differs from the applied statements. `missing`: the migration was applied, but its file doesn't
   * exist.
   */
  readonly state: 'applied' | 'pending' | 'changed' | 'missing';
  readonly file: string | null;
  /** Whether the migration is pending even though a newer one has been applied. */
  readonly isOlder: boolean;
}

export interface MigrationText {
  readonly file: string | null;
  /** The applied statements. Null if they are unknown. */
  readonly applied: string | null;
}

/** Which pending files would succeed. `untried` files weren't run because they can't be rolled back. */
export interface DryRun {
  readonly tried: readonly string[];
  readonly untried: readonly string[];
}

export const contract = {
  'GET /migrations': { response: json<{ readonly migrations: readonly Migration[] }>() },
  'GET /migrations/:version': { response: json<MigrationText>() },
  /** Runs the pending files in a transaction that is rolled back. */
  'POST /migrations/dry-run': { body: run, response: json<DryRun>() },
  /** Applies the pending files. Each file is applied completely or not at all. */
  'POST /migrations/apply': { body: run, response: json<{ readonly applied: readonly string[] }>() },
  /** Marks a version as applied or not applied, without running any statement. */
  'POST /migrations/repair': { body: repair, response: noContent },
} as const satisfies RouteTable;
