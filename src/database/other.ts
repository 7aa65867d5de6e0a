/**
 * Opens a database that doesn't belong to this project, for a command. Uses one login and a few connections, and
 * doesn't make any changes.
 */
import { createPools } from './pool/index.ts';
import type { Pool } from './types.ts';
import { parseConnectionString } from './wire/index.ts';

export interface OtherDatabase {
  readonly pool: Pool;
  stop(): Promise<void>;
}

/**
 * @param password Used if the URL doesn't contain a password.
 * @throws {ConnectionStringError}
 */
export function openOtherDatabase(url: string, password?: string): OtherDatabase {
  const target = parseConnectionString(url, { password });
  const pools = createPools({ connectOptions: () => ({ ...target, applicationName: 'plinth' }), max: 1 });
  return { pool: pools.pool('postgres'), stop: () => pools.end() };
}
