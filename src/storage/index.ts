import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Keys } from '../keys/types.ts';
import type { Config } from '../config/index.ts';

export interface StorageDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  /** Where object bytes live (.plinth/storage). */
  readonly dataDir: string;
  readonly log: Logger;
}

export function createStorage(_deps: StorageDeps): Service {
  return { name: 'storage', mounts: [] };
}
