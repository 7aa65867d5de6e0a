/**
 * REST over PostgreSQL, speaking PostgREST's protocol: tables, views and functions of the exposed schemas, one
 * statement and one transaction a request, as the role of the request's token.
 */
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import { createAdviser } from './privileges/index.ts';
import { adminPlugin, restPlugin } from './routes.ts';
import { handle } from './service.ts';
import { type PermissionHints, settingsFromConfig } from './settings.ts';
import { createState } from './state.ts';

export type { PermissionHints };

export interface RestDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly log: Logger;
  /** How much a refused request learns of what it lacks; see {@link RestSettings.permissionHints}. */
  readonly permissionHints: PermissionHints;
}

const PREFIX = '/rest/v1';
const EXPOSED_HEADERS = [
  'Content-Encoding',
  'Content-Location',
  'Content-Range',
  'Content-Type',
  'Date',
  'Location',
  'Server',
  'Transfer-Encoding',
  'Range-Unit',
];

/**
 * @example
 * const rest = createRest({ database, keys, config, log, permissionHints: 'full' });
 * await rest.start?.();
 */
export function createRest({ database, keys, config, log, permissionHints }: RestDeps): Service {
  const state = createState(database, settingsFromConfig(config, permissionHints), log);
  const deps = {
    requestPath: database.requestPath,
    advise: createAdviser(database.pool('authenticator'), log),
    verify: (token: string) => keys.verify(token),
    clock: systemClock,
    log,
    snapshot: () => state.snapshot(),
  };
  return {
    name: 'rest',
    mounts: [
      {
        prefix: PREFIX,
        plugin: restPlugin({ prefix: PREFIX, handle: (request) => handle(request, deps), log }),
        cors: 'open',
        exposeHeaders: EXPOSED_HEADERS,
        apiKeys: true,
      },
      {
        prefix: '/rest-admin/v1',
        plugin: adminPlugin(() => state.fault() === undefined),
        cors: 'none',
        apiKeys: false,
      },
    ],
    start: () => state.start(),
    stop: () => state.stop(),
    health: () => state.fault(),
  };
}
