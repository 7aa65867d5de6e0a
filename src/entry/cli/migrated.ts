/** Checks, before a comparison, that this project's migrations have been applied to the project's database. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '../../base/kernel/sql.ts';
import { type ConnectionOptions, inspectionTarget, openCopySession } from '../../platform/database/index.ts';
import { readMigrationFolder } from '../../project/folder/index.ts';
import { findRunning } from './control.ts';
import { CommandError } from './errors.ts';
import type { ProjectLocation } from './project-location.ts';
import { withTargetNamed } from './target-database.ts';

export const notMigrated = (): CommandError =>
  new CommandError(
    "None of this project's migrations has been applied to its local database.",
    'Run "plinth start", which creates the database and applies them, and then run this command again.',
  );

/**
 * Checks that the database exists.
 * @throws {CommandError} if the project has migrations but the database doesn't exist yet
 */
export async function requireStarted(location: ProjectLocation): Promise<void> {
  const isExpected = !hasMigrations(location) || existsSync(join(location.dataDir, 'postgres'));
  if (!isExpected && (await findRunning(location.dataDir)) === undefined) throw notMigrated();
}

/**
 * Checks the migration history.
 * @throws {CommandError} if the project has migrations but the history contains none of these migrations
 */
export async function requireApplied(location: ProjectLocation, target: ConnectionOptions): Promise<void> {
  if (!hasMigrations(location)) return;
  const session = await openCopySession(await inspectionTarget(target));
  try {
    const [history] = await session.query<{ exists: boolean }>(
      sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`,
    );
    if (history?.exists !== true) throw notMigrated();
    const applied = await session.query(sql`select from supabase_migrations.schema_migrations limit 1`);
    if (applied.length === 0) throw notMigrated();
  } finally {
    session.destroy();
  }
}

/** Whether --keep-going has skipped statements of the migrations in this project's database. */
export async function hasSkippedStatements(location: ProjectLocation): Promise<boolean> {
  if ((await findRunning(location.dataDir)) === undefined && !existsSync(join(location.dataDir, 'postgres')))
    return false;
  const read = async (target: ConnectionOptions): Promise<boolean> => {
    const session = await openCopySession(await inspectionTarget(target));
    try {
      const [table] = await session.query<{ exists: boolean }>(
        sql`select to_regclass('_plinth.project_failures') is not null as exists`,
      );
      if (table?.exists !== true) return false;
      return (await session.query(sql`select from _plinth.project_failures limit 1`)).length > 0;
    } finally {
      session.destroy();
    }
  };
  return await withTargetNamed(location, 'local', read, { allowsIncomplete: true });
}

const hasMigrations = ({ projectDir }: ProjectLocation): boolean =>
  readMigrationFolder(join(projectDir, 'supabase')).files.length > 0;
