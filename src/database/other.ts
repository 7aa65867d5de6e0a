/** Opens a database that isn't this project's own, for a command: one login, a few connections, and no changes. */
import { createPools } from './pool/index.ts';
import type { Pool } from './types.ts';
import { parseConnectionString } from './wire/index.ts';

export interface OtherDatabase {
  readonly pool: Pool;
  stop(): Promise<void>;
}

/**
 * @param password Used if the URL contains none.
 * @throws {ConnectionStringError}
 */
export function openOtherDatabase(url: string, password?: string): OtherDatabase {
  const target = parseConnectionString(url, { password });
  const pools = createPools({ connectOptions: () => ({ ...target, applicationName: 'plinth' }), max: 1 });
  return { pool: pools.pool('postgres'), stop: () => pools.end() };
}
