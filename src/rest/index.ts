import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Database } from '../database/types.ts';
import type { Keys } from '../keys/types.ts';
import type { Config } from '../config/index.ts';

export interface RestDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly log: Logger;
}

export function createRest(_deps: RestDeps): Service {
  return { name: 'rest', mounts: [] };
}
