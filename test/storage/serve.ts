/** Runs the storage service behind a separate gateway on a free port. */

import { silentLogger } from '../../src/base/kernel/log.ts';
import { configFrom, createLiveConfig, type PartialConfig } from '../../src/platform/config/index.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { createKeys, type Keys } from '../../src/platform/keys/index.ts';
import { createGateway } from '../../src/server/gateway/index.ts';
import { createStorage } from '../../src/services/storage/index.ts';

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
