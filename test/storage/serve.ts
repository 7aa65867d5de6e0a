/** Runs the storage service behind a separate gateway on a free port. */
import { configFrom, createLiveConfig, type PartialConfig } from '../../src/config/index.ts';
import type { Database } from '../../src/database/types.ts';
import { createGateway } from '../../src/gateway/index.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { createKeys, type Keys } from '../../src/keys/index.ts';
import { createStorage } from '../../src/storage/index.ts';

export interface Served {
  readonly url: string;
  readonly keys: Keys;
  close(): Promise<void>;
}

export async function serveStorage(
  database: Database,
  settings: PartialConfig,
  dataDir: string,
): Promise<Served> {
  const config = configFrom(settings, dataDir);
  const keys = createKeys({ mode: 'development', config, supabaseDir: dataDir, dataDir });
  const storage = createStorage({
    database,
    keys,
    config: createLiveConfig(config),
    dataDir,
    mode: 'development',
    log: silentLogger,
  });
  const gateway = createGateway({
    services: [storage],
    keys,
    log: silentLogger,
  });
  await storage.start?.();
  const url = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}/storage/v1`;
  return {
    url,
    keys,
    async close() {
      await gateway.close(1000);
      await storage.stop?.();
    },
  };
}
