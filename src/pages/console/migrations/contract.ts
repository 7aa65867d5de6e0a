/**
 * The migrations page, which compares the migration files in the project with the migration history in the database.
 */
import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const version = z.string().regex(/^\d{1,50}$/, 'must contain only digits');
const run = z.object({
  /** Whether to include migrations older than the newest applied migration. */
  includeAll: z.boolean().default(false),
});
const repair = z.object({ version, status: z.enum(['applied', 'reverted']) });

/** A migration file, or an entry in the migration history that has no file. */
export interface Migration {
  readonly version: string;
  readonly name: string;
  /**
   * `changed`: the statements in the file differ from the statements that were applied. `missing`: the migration was
   * applied, but its file doesn't exist. `recorded`: a server in production has recorded the migration's statements, for
   * example from a deployment, and its folder doesn't contain the file.
   */
  readonly state: 'applied' | 'pending' | 'changed' | 'missing' | 'recorded';
  readonly file: string | null;
  /** Whether the migration is pending even though a newer migration has been applied. */
  readonly isOlder: boolean;
}

export interface MigrationText {
  readonly file: string | null;
  /** The applied statements, or null if they are unknown. */
  readonly applied: string | null;
}

/**
 * The result of a dry run: the pending files that ran without errors, and the `untried` files. `untried` files weren't
 * run because their statements can't be rolled back.
 */
export interface DryRun {
  readonly tried: readonly string[];
  readonly untried: readonly string[];
}

/** The changes to the schema that no migration contains. */
export interface Drift {
  /** The statements that make the same changes in a database with the migrations. Empty if nothing has changed. */
  readonly sql: string;
  /** The error that the statements raise in a database with the migrations, or null. */
  readonly problem: string | null;
}

const driftMigration = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,100}$/, 'can contain only lowercase letters, numbers and underscores'),
  /** The statements that the operator has reviewed. */
  sql: z.string().min(1).max(1_000_000),
});

export const contract = {
  'GET /migrations': {
    response: json<{ readonly migrations: readonly Migration[]; readonly canFindDrift: boolean }>(),
  },
  /** Compares the database with a temporary database that is created from the migrations. */
  'POST /migrations/drift': { response: json<Drift>() },
  /** Saves the changes as a migration that is recorded as applied. The database isn't changed. */
  'POST /migrations/drift/save': { body: driftMigration, response: json<{ readonly file: string }>() },
  'GET /migrations/:version': { response: json<MigrationText>() },
  /** Runs the pending migration files in a transaction that is then rolled back. */
  'POST /migrations/dry-run': { body: run, response: json<DryRun>() },
  /** Applies the pending migration files. Each file is applied either completely or not at all. */
  'POST /migrations/apply': { body: run, response: json<{ readonly applied: readonly string[] }>() },
  /** Marks a version as applied or not applied, without running any statement. */
  'POST /migrations/repair': { body: repair, response: noContent },
} as const satisfies RouteTable;
