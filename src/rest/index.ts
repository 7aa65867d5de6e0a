/**
 * REST over PostgreSQL with PostgREST's protocol: the tables, views and functions of the exposed schemas. Each request
 * runs one statement in one transaction as the role of its token.
 */
import { join } from 'node:path';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import { BodyBudget } from './bodies.ts';
import { errorBody, restError } from './errors.ts';
import { EXPOSED_HEADERS } from './exposed-headers.ts';
import { createAdviser } from './privileges/index.ts';
import { ResponseStorage } from './responses/storage.ts';
import { adminPlugin, restPlugin } from './routes.ts';
import { handle } from './service.ts';
import { type PermissionHints, settingsFromConfig } from './settings.ts';
import { createState, projectSource } from './state.ts';

export type { Attempt, AttemptResponse, RestAttempt } from './attempt.ts';
export { BodyBudget } from './bodies.ts';
export { type ClaimPath, readClaimPath } from './core/claim-path.ts';
export { databaseError } from './core/database-error.ts';
export type { RestRequest } from './core/request.ts';
export { COMPATIBLE_VERSION, type RestResponse, respondError } from './core/respond.ts';
export { errorBody, restError } from './errors.ts';
export { EXPOSED_HEADERS } from './exposed-headers.ts';
export { type SettingRow, selectRoleSettings } from './queries.ts';
export { ResponseStorage } from './responses/storage.ts';
export { ClientGone, shellError } from './routes.ts';
export type { SchemaCache } from './schema-cache/types.ts';
export { handle, type ServiceDeps } from './service.ts';
export { functionName, type RestSettings } from './settings.ts';
export { createState, type Extent, type Snapshot, type State, type StateSource } from './state.ts';
export { writeResponse } from './write-response.ts';

export type { PermissionHints };

export interface RestDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  /** The parent folder of temporary files for large responses. */
  readonly dataDir: string;
  readonly log: Logger;
  /** The level of detail in hints for rejected requests. See {@link RestSettings.permissionHints}. */
  readonly permissionHints: PermissionHints;
}

const PREFIX = '/rest/v1';
const INVALID_PATH = restError('PGRST125');
const CHANNEL = 'pgrst';

export interface RestService extends Service {
  /** See `attempt.ts`. */
  readonly attempt: Attempt;
}

/**
 * @example
 * const rest = createRest({ database, keys, config, dataDir, log, permissionHints: 'full' });
 * await rest.start?.();
 */
export function createRest({ database, keys, config, dataDir, log, permissionHints }: RestDeps): RestService {
  const state = createState(projectSource(database, settingsFromConfig(config, permissionHints), log));
  const { max_answer_size, max_waiting_answers, max_request_bodies } = config.plinth.rest;
  const limits = { answerBytes: max_answer_size, totalBytes: max_waiting_answers };
  const deps = {
    answers: new ResponseStorage(join(dataDir, 'answers'), limits),
    requestPath: database.requestPath,
    advise: createAdviser(database.pool('authenticator'), log),
    verify: (token: string) => keys.verify(token),
    clock: systemClock,
    log,
    snapshot: () => state.snapshot(),
  };
  return {
    name: 'rest',
    attempt: createAttempt((request) => handle(request, deps)),
    mounts: [
      {
        prefix: PREFIX,
        plugin: restPlugin({
          prefix: PREFIX,
          handle: (request) => handle(request, deps),
          bodies: new BodyBudget(max_request_bodies),
          log,
        }),
        cors: 'open',
        exposeHeaders: EXPOSED_HEADERS,
        apiKeys: true,
        notesStatements: true,
        badPath: { status: INVALID_PATH.status, body: JSON.parse(errorBody(INVALID_PATH, 'verbose')) },
      },
      {
        prefix: '/rest-admin/v1',
        plugin: adminPlugin(() => state.fault() === undefined),
        cors: 'none',
        apiKeys: false,
      },
    ],
    async start() {
      state.start();
      await state.listenOn(CHANNEL);
    },
    stop: () => state.stop(),
    health: () => state.fault(),
  };
}
