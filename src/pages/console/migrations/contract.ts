/**
 * The migrations page, which compares the migration files in the project with the migration history in the database.
 */
import { z } from 'zod';
import type { DiffLine } from '../../../base/shared/diff-lines.ts';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const version = z.string().regex(/^\d{1,50}$/, 'must contain only digits');
const run = z.object({
  /** Whether to include migrations older than the newest applied migration. */
  includeAll: z.boolean().default(false),
});
const repair = z.object({ version, status: z.enum(['applied', 'reverted']) });

export type { DiffLine };

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
  /** Whether `supabase/migrations/down` contains a script that undoes the migration. */
  readonly hasDown: boolean;
}

export interface MigrationText {
  readonly file: string | null;
  /** The applied statements, or null if they are unknown. */
  readonly applied: string | null;
  /** The text of the down script, or null if there is none. */
  readonly down: string | null;
  /** The differences between the applied statements and the file, or null if one of them is unknown. */
  readonly lines: readonly DiffLine[] | null;
}

/**
 * The result of a dry run: the pending files that ran without errors, and the `untried` files. `untried` files weren't
 * run because their statements can't be rolled back.
 */
export interface DryRun {
  readonly tried: readonly string[];
  readonly untried: readonly string[];
}

/** The steps of a comparison or of squashing, in order. */
export type DriftStep = 'server' | 'migrations' | 'compare' | 'check';

/** An object that differs between the migrations and the database. */
export interface DriftObject {
  /** The kind as SQL keywords in lowercase. An empty string for changes that don't belong to an object. */
  readonly kind: string;
  readonly name: string;
  /** `added`: no migration creates the object. `removed`: a migration creates it, but the database lacks it. */
  readonly change: 'added' | 'removed' | 'changed';
  /** The definition in the migrations (`removed`) and in the database (`added`). Null for roles that can't see secrets. */
  readonly lines: readonly DiffLine[] | null;
  /** The statements that make the same change, and those that undo it in the database. Null as for `lines`. */
  readonly sql: string | null;
  readonly undo: string | null;
  /** Whether undoing the change can delete data. */
  readonly undoLosesData: boolean;
  /** The migration files that contain statements about the object. */
  readonly files: readonly string[];
}

/** The differences between the database and the migrations. */
export interface Drift {
  /** In milliseconds since the epoch. */
  readonly checkedAt: number;
  readonly objects: readonly DriftObject[];
  /**
   * The statements that make the same changes in a database with the migrations, and those that undo the changes. Null
   * for roles that can't see secrets.
   */
  readonly sql: string | null;
  readonly undo: string | null;
  /** Whether the statements in `undo` were tested, so they can be saved as a down script. */
  readonly canUndo: boolean;
  /** The error that the statements raise in a database with the migrations, or null. */
  readonly problem: string | null;
}

export interface DriftState {
  /** The comparison or squash that is running. */
  readonly running: { readonly step: DriftStep; readonly since: number } | null;
  /** The result of the last comparison on this server, or null if there was none or if the history has changed. */
  readonly last: Drift | null;
}

const driftMigration = z.object({
  name: z.string().regex(/^[a-z0-9_]{1,100}$/, 'can contain only lowercase letters, numbers and underscores'),
  /** The statements that the operator has reviewed. */
  sql: z.string().min(1).max(1_000_000),
  /** Whether the statements that undo the changes are saved as a down script. */
  withDown: z.boolean().default(false),
});

export interface Squashed {
  readonly file: string;
  /** The folder with copies of the original files. */
  readonly backup: string;
  /** Statements and objects that the file doesn't contain. */
  readonly omitted: readonly string[];
}

export const contract = {
  'GET /migrations': {
    response: json<{ readonly migrations: readonly Migration[]; readonly writesFiles: boolean }>(),
  },
  'GET /migrations/drift': { response: json<DriftState>() },
  /** Compares the database with a temporary database that is created from the migrations. */
  'POST /migrations/drift': { response: json<Drift>() },
  /** Saves the changes as a migration that is recorded as applied. The database isn't changed. */
  'POST /migrations/drift/save': { body: driftMigration, response: json<{ readonly file: string }>() },
  /** Replaces the migrations up to this version with one file. */
  'POST /migrations/squash': { body: z.object({ version }), response: json<Squashed>() },
  /** Runs the down script of the newest applied migration, which must have this version. */
  'POST /migrations/revert': { body: z.object({ version }), response: json<{ readonly script: string }>() },
  'GET /migrations/:version': { response: json<MigrationText>() },
  /** Runs the pending migration files in a transaction that is then rolled back. */
  'POST /migrations/dry-run': { body: run, response: json<DryRun>() },
  /** Applies the pending migration files. Each file is applied either completely or not at all. */
  'POST /migrations/apply': { body: run, response: json<{ readonly applied: readonly string[] }>() },
  /** Marks a version as applied or not applied, without running any statement. */
  'POST /migrations/repair': { body: repair, response: noContent },
} as const satisfies RouteTable;
