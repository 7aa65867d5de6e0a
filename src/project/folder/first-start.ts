/** Creates a database from the user's folder: vault secrets, roles, migrations and seeds. */
import { join } from 'node:path';
import { sql } from '../../base/kernel/sql.ts';
import { lockExclusively, setAutoExposeNewTables } from '../../platform/database/index.ts';
import type { Session } from '../../platform/database/types.ts';
import type { SqlText } from './core/missing.ts';
import { extensionOptions, reportSkipped } from './external-extensions.ts';
import { readMigrationFolder, readRolesFile, readSeedFiles, readSources } from './files.ts';
import { ranFiles } from './history.ts';
import { createKeepGoing } from './keep-going.ts';
import { applyMigrations } from './migrations.ts';
import { reportingPlaceholders } from './missing-extensions.ts';
import { createPrivilegedRunner, dropLeftovers, type PrivilegedRunner } from './privileged.ts';
import { insertStep, selectApplied, upsertVaultSecret } from './queries.ts';
import { type KeepGoing, runFile } from './run-file.ts';
import { findSchemaTool } from './schema-tools.ts';
import { applySeeds } from './seeds.ts';
import type { ProjectDeps } from './types.ts';
import { findTypesFiles } from './types-files.ts';

export interface FirstStartOptions {
  readonly upToVersion?: string;
  /** Skips, records and retries statements that fail. */
  readonly keepsGoing?: boolean;
  /** Handles statements that fail in a different way. */
  readonly keepGoing?: KeepGoing;
  /** A file that runs before the migrations and isn't recorded as applied. */
  readonly baseline?: SqlText;
}

interface FirstStart {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  readonly done: ReadonlySet<string>;
}

/**
 * Runs the steps of the first start. Skips the steps that an earlier, interrupted start has completed.
 * @throws {ProjectError}
 */
export async function firstStart(
  deps: ProjectDeps,
  options: FirstStartOptions,
  start: FirstStart,
): Promise<void> {
  const { database, config, mode, projectDir, onProgress, log, signal } = deps;
  const supabaseDir = join(projectDir, 'supabase');
  const { session, privileged, done } = start;
  // The services don't accept connections yet, so no other client uses the database of an embedded server.
  const quiet = database.info.embedded;
  const adapted = extensionOptions(database);
  const keepGoing =
    options.keepsGoing === true
      ? createKeepGoing({
          session,
          privileged,
          quiet,
          embedded: adapted.embedded,
          external: await adapted.readExtensions?.(session),
          ...(await ranFiles(deps, session)),
        })
      : options.keepGoing;
  const shared = {
    session,
    privileged,
    signal,
    // The last step flushes the changes of all earlier steps to disk, and no client relies on these changes before that
    // step.
    isFlushedLater: database.info.embedded,
    ...adapted,
    readSources: () => readSources(supabaseDir),
    readTypes: () => findTypesFiles(projectDir),
    findSchemaTool: () => findSchemaTool(projectDir),
    ...(keepGoing === undefined ? {} : { keepGoing }),
  };
  const note = (message: string) => {
    log.warn({ service: 'project' }, message);
    onProgress(message);
  };

  await setAutoExposeNewTables(database, config.api.auto_expose_new_tables ?? true);
  await writeVault(deps, session);

  const roles = readRolesFile(supabaseDir);
  if (roles !== undefined && !done.has('roles')) {
    onProgress('Creating roles from supabase/roles.sql...');
    const file = { shownPath: 'supabase/roles.sql', text: roles };
    await runFile(file, { ...shared, quiet, record: (tx) => insertStep(tx, 'roles') });
  }
  if (options.baseline !== undefined)
    await runFile(options.baseline, { ...shared, quiet, record: async () => {} });
  if (config.db.migrations.enabled) {
    const folder = readMigrationFolder(supabaseDir);
    folder.notes.forEach(note);
    const applied = new Set((await selectApplied(session)).map(({ version }) => version));
    const needed = folder.files.filter(
      ({ version }) => !applied.has(version) && version <= (options.upToVersion ?? version),
    );
    await reportingPlaceholders({ database, files: shared.readSources, report: note }, () =>
      applyMigrations(needed, { ...shared, quiet, onProgress }),
    );
  }
  // Seeds are sample data, so they are applied only in development.
  if (config.db.seed.enabled && mode === 'development') {
    const seeds = readSeedFiles(supabaseDir, config.db.seed.sql_paths);
    const isDefault = config.db.seed.sql_paths.join() === './seed.sql';
    if (!isDefault) seeds.notes.forEach(note);
    await applySeeds(seeds.files, { ...shared, onProgress });
  }
  await insertStep(session, 'database');
}

async function writeVault({ config, onProgress, signal }: ProjectDeps, session: Session): Promise<void> {
  const secrets = Object.entries(config.db.vault);
  if (secrets.length === 0) return;
  onProgress('Updating vault secrets...');
  for (const [name, value] of secrets) {
    if (value !== undefined)
      await session.transaction((tx) => upsertVaultSecret(tx, name, value), { signal });
  }
}

/**
 * Runs `work` as `postgres` on a separate connection. The connection is closed afterward, to discard all session state
 * that the user's SQL has left behind.
 */
export async function withUserSession<T>(
  { database, mode, onProgress, signal }: ProjectDeps,
  work: (session: Session, privileged: PrivilegedRunner) => Promise<T>,
): Promise<T> {
  const admin = await database.pool('supabase_admin').connect();
  const session = await database.pool('postgres').connect();
  try {
    // Only one process at a time changes the user's part of a database.
    await lockExclusively(admin, 'project', {
      signal,
      onWait: () => onProgress('Waiting for another process that is changing the database'),
    });
    await dropLeftovers(admin);
    const [who] = await session.query<{ role: string }>(sql`select session_user::text as role`);
    reportSkipped(session, onProgress);
    const privileged = createPrivilegedRunner(database, { role: who?.role ?? 'postgres', mode });
    return await work(session, privileged);
  } finally {
    session.destroy();
    admin.destroy();
  }
}
