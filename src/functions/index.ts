import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Keys } from '../keys/types.ts';
import type { Config } from '../config/index.ts';

export interface FunctionsDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  /** The supabase/ folder. */
  readonly supabaseDir: string;
  /** For sockets, caches and logs (.plinth). */
  readonly dataDir: string;
  /** As the functions reach it. A function, since with port 0 it is known late. */
  readonly apiUrl: () => string;
  /** Names from .env files and the environment that config.toml's env() saw. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
}

export function createFunctions(_deps: FunctionsDeps): Service {
  return { name: 'functions', mounts: [] };
}
