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
import { adminPlugin, restPlugin } from './routes.ts';
import { handle } from './service.ts';
import { settingsFromConfig } from './settings.ts';
import { createState } from './state.ts';

export interface RestDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly log: Logger;
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
 * const rest = createRest({ database, keys, config, log });
 * await rest.start?.();
 */
export function createRest({ database, keys, config, log }: RestDeps): Service {
  const state = createState(database, settingsFromConfig(config), log);
  const deps = {
    requestPath: database.requestPath,
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
