/** Creates a new embedded PostgreSQL cluster, and applies Plinth's SQL files to it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { bootstrapSet } from '../../src/platform/database/bootstrap-set.ts';
import { startCluster } from '../../src/platform/database/embedded/cluster.ts';
import { clusterTarget } from '../../src/platform/database/embedded/sign-ins.ts';
import { sqlOnlyFiles } from '../../src/platform/database/external/sql-only.ts';
import { type MigrationFile, readMigrationFiles } from '../../src/platform/database/migrate/files.ts';
import { applyFiles } from '../../src/platform/database/migrate/runner.ts';
import { readVersion } from '../../src/platform/database/wire/client.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import { loadModules, migrationSets } from '../../src/server/backend/modules.ts';
import { describeSchema, type Fact } from './describe.ts';

/** Returns the SQL files of all modules in the order in which they are applied to a new database. */
export const currentFiles = async (): Promise<MigrationFile[]> =>
  readMigrationFiles([bootstrapSet, ...migrationSets(await loadModules())]);

/** Returns the scripts of extensions that are applied as files on servers without Plinth's extension folder. */
export const extensionFiles = (): MigrationFile[] => sqlOnlyFiles([]);

export interface SchemaCluster {
  /** The server's major version. */
  readonly major: number;
  /** Applies the files that haven't been applied yet, and returns the description of the schema. */
  apply(files: readonly MigrationFile[]): Promise<Fact[]>;
}

/** Runs `work` with a new cluster. */
export async function withCluster<T>(work: (cluster: SchemaCluster) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'plinth-schema-'));
  chmodSync(dataDir, 0o755);
  const onProgress = (): void => {};
  try {
    const cluster = await startCluster({
      dataDir,
      port: null,
      durable: false,
      settings: {},
      password: 'postgres',
      sharedPassword: false,
      log: silentLogger,
      onProgress,
    });
    try {
      const session = await Client.connect(clusterTarget(cluster, 'supabase_admin', 'postgres'));
      const serverVersion = readVersion(session);
      const result = await work({
        major: Math.floor(serverVersion / 10_000),
        async apply(files) {
          await applyFiles({ session, serverVersion, log: silentLogger, onProgress }, files);
          return await describeSchema(session);
        },
      });
      await session.connection.close();
      return result;
    } finally {
      await cluster.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
