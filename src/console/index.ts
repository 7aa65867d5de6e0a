import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Keys } from '../keys/types.ts';
import type { Config } from '../config/index.ts';
import type { Inbox } from '../mail/types.ts';
import type { Clock } from '../kernel/clock.ts';

export interface ConsoleDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly inbox: Inbox;
  readonly apiUrl: () => string;
  /** Health of every service, for the home page. */
  readonly health: () => Record<string, string | undefined>;
  /** A request to one of our own services in this process, for example /auth/v1/admin/users. */
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Where the built web app lies (dist/web). */
  readonly webDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createConsole(_deps: ConsoleDeps): Service {
  return { name: 'console', mounts: [] };
}
