import { join } from 'node:path';
import { silentLogger } from '../../base/kernel/log.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import { createKeys } from '../../platform/keys/index.ts';
import { loadModules, migrationSets } from './modules.ts';

/** Applies the migrations of Plinth's services, which are the same for every project. */
export async function migrateServices(database: Database): Promise<void> {
  await database.migrate(migrationSets(await loadModules()));
}

/**
 * Makes all database changes that are needed before the server accepts requests. Test databases are cloned from
 * templates that were prepared by this function.
 */
export async function prepareDatabase(database: Database, config: Config, projectDir: string): Promise<void> {
  await migrateServices(database);
  const modules = await loadModules();
  const keys = createKeys({
    mode: 'development',
    config,
    supabaseDir: join(projectDir, 'supabase'),
    dataDir: projectDir,
  });
  const project = modules.project.createProject({
    database,
    config,
    keys,
    projectDir,
    mode: 'development',
    log: silentLogger,
    onProgress: () => undefined,
  });
  await project.prepareDatabase();
}
