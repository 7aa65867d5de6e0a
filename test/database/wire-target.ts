/** How tests of the client connect to a test database: as any login role, over the unix socket or TCP. */

import type { Database, LoginRole } from '../../src/database/types.ts';
import { type ConnectionOptions, parseConnectionString } from '../../src/database/wire/index.ts';

/** Every login role of a test cluster has the password `postgres`. */
export function targetOf(database: Database, user: LoginRole = 'postgres'): ConnectionOptions {
  return { ...parseConnectionString(database.info.url), user, password: 'postgres', sslMode: 'disable' };
}
