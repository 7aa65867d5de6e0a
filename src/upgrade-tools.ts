/** Implements the command that upgrades the embedded PostgreSQL. The command doesn't require a running server. */
import { definedOf } from './backend/database-settings.ts';
import { loadModules, migrationSets } from './backend/modules.ts';
import { loadConfig } from './config/index.ts';
import { migrateNewCluster } from './database/index.ts';
import { type UpgradeReport, upgradeCluster } from './upgrade/index.ts';

export type { UpgradeReport } from './upgrade/index.ts';

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
    settings: definedOf(config.db.settings),
    migrate: (target, fromMajor) => migrateNewCluster(target, fromMajor, sets),
  });
  return { ...report, backupTarget: config.plinth.backup.to };
}
