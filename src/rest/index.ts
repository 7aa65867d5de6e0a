/**
 * REST over PostgreSQL, speaking PostgREST's protocol: tables, views and functions of the exposed schemas, one
 * statement and one transaction a request, as the role of the request's token.
 */
import { join } from 'node:path';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import { AnswerSpace } from './answers/space.ts';
import { BodySpace } from './bodies.ts';
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
  /** Large answers wait for their clients in files below it. */
  readonly dataDir: string;
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
 * const rest = createRest({ database, keys, config, dataDir, log, permissionHints: 'full' });
 * await rest.start?.();
 */
export function createRest({ database, keys, config, dataDir, log, permissionHints }: RestDeps): Service {
  const state = createState(database, settingsFromConfig(config, permissionHints), log);
  const { max_answer_size, max_waiting_answers, max_request_bodies } = config.plinth.rest;
  const limits = { answerBytes: max_answer_size, totalBytes: max_waiting_answers };
  const deps = {
    answers: new AnswerSpace(join(dataDir, 'answers'), limits),
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
        plugin: restPlugin({
          prefix: PREFIX,
          handle: (request) => handle(request, deps),
          bodies: new BodySpace(max_request_bodies),
          log,
        }),
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
