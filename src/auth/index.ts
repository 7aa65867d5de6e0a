import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Keys } from '../keys/types.ts';
import type { Config } from '../config/index.ts';
import type { Mailer } from '../mail/types.ts';
import type { Clock } from '../kernel/clock.ts';

export interface AuthDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly mailer: Mailer;
  /** The project root: template paths are relative to it. */
  readonly projectDir: string;
  /** The public API address, for example http://127.0.0.1:54321. A function, since with port 0 it is known late. */
  readonly apiUrl: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createAuth(_deps: AuthDeps): Service {
  return { name: 'auth', mounts: [] };
}
