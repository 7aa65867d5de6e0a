/** Implements the command that upgrades the embedded PostgreSQL. The command doesn't require a running server. */

import { type UpgradeReport, upgradeCluster } from '../operations/upgrade/index.ts';
import { loadConfig } from '../platform/config/index.ts';
import { migrateNewCluster } from '../platform/database/index.ts';
import { definedOf } from '../server/backend/database-settings.ts';
import { loadModules, migrationSets } from '../server/backend/modules.ts';

export type { UpgradeReport } from '../operations/upgrade/index.ts';

export interface UpgradeRequest {
  readonly projectDir: string;
  readonly dataDir: string;
  readonly oldBindir: string | undefined;
  readonly check: boolean;
  readonly onProgress: (message: string) => void;
  /** Called with each line of PostgreSQL's log. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  readonly onStep?: (name: string) => void;
}

export interface Upgraded extends UpgradeReport {
  /** The backup target, if the project has one. */
  readonly backupTarget: string | undefined;
}

/** Upgrades the data folder and returns a report. @throws {UpgradeError} @throws {DatabaseError} */
export async function upgrade(request: UpgradeRequest): Promise<Upgraded> {
  const { config } = loadConfig({ projectDir: request.projectDir });
  const sets = migrationSets(await loadModules());
  const report = await upgradeCluster({
    ...request,
    extensionFolders: config.plinth.database.extension_folders,
    settings: definedOf(config.db.settings),
    migrate: (target, fromMajor) => migrateNewCluster(target, fromMajor, sets),
  });
  return { ...report, backupTarget: config.plinth.backup.to };
}
