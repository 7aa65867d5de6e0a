/**
 * The REST service, which serves the tables, views and functions of the exposed schemas over PostgREST's protocol. Each
 * request runs one statement in one transaction as the role of its token.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../../base/kernel/clock.ts';
import { type DiskState, spaciousDisk } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Mount, Service } from '../../base/kernel/service.ts';
import { cached, tableCheckMs } from '../../base/shared/cached.ts';
import { type Machine, thisMachine } from '../../base/shared/machine.ts';
import type { Config, LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import { type Attempt, createAttempt } from './attempt.ts';
import { BodyBudget } from './bodies.ts';
import { readConstantSlots } from './column-statistics.ts';
import type { Comparison } from './core/plan/comparisons.ts';
import { LSN_HEADER } from './core/request.ts';
import { type CreateEndpoint, endpoints } from './endpoint.ts';
import { errorBody, restError } from './errors.ts';
import { handle } from './pipeline.ts';
import { createAdviser } from './privileges/index.ts';
import type { Replay } from './replay.ts';
import { ResponseStorage } from './responses/storage.ts';
import { adminPlugin, EXPOSED_HEADERS, restPlugin } from './routes.ts';
import type { PipelineDeps } from './run.ts';
import { type PermissionHints, settingsFromConfig } from './settings.ts';
import { createState, projectSource } from './state.ts';

export type { Attempt, AttemptResponse, RestAttempt } from './attempt.ts';
export { BODY_LIMIT_BYTES, BodyBudget } from './bodies.ts';
export { type ClaimPath, readClaimPath } from './core/claim-path.ts';
export { databaseError } from './core/database-error.ts';
export type { RestRequest } from './core/request.ts';
export { COMPATIBLE_VERSION, type RestResponse, respondError } from './core/respond.ts';
export type { CreateEndpoint, Endpoint, EndpointCall, EndpointSpeed } from './endpoint.ts';
export { errorBody, restError } from './errors.ts';
export { handle } from './pipeline.ts';
export { type SettingRow, selectRoleSettings } from './queries.ts';
export type { Replay, ReplayedStatement, ReplayResponse } from './replay.ts';
export { ResponseStorage } from './responses/storage.ts';
export { ClientGone, EXPOSED_HEADERS, shellError, writeResponse } from './routes.ts';
export type { PipelineDeps } from './run.ts';
export type { SchemaCache } from './schema-cache/types.ts';
export { functionName, type RestSettings } from './settings.ts';
export { createState, type Extent, type Snapshot, type State, type StateSource } from './state.ts';

export type { PermissionHints };

export interface RestDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  /** The folder in which the service creates a subfolder for temporary files, which store large responses. */
  readonly dataDir: string;
  /** The state of the disk that the embedded database uses. */
  readonly disk?: DiskState;
  readonly log: Logger;
  /** How detailed the hints for rejected requests are. See {@link RestSettings.permissionHints}. */
  readonly permissionHints: PermissionHints;
  /**
   * Returns a sentence about migrations that aren't applied, for the hint of PGRST205. Undefined in production, because
   * clients must not learn about the project's files.
   */
  readonly pendingMigrations?: PipelineDeps['pendingMigrations'];
}

const PREFIX = '/rest/v1';
const INVALID_PATH = restError('PGRST125');
const OVERLOADED = {
  type: 'application/json; charset=utf-8',
  text: errorBody(restError('PGRSTX06'), 'verbose'),
};
const CHANNEL = 'pgrst';

const maxDefaultBodyBytes = 512 * 1024 * 1024;
const memoryShare = 1 / 8;

/** Returns the memory limit for all large request bodies together. */
export const bodyBudgetBytes = (
  { max_request_bodies }: Config['plinth']['rest'],
  { memoryBytes }: Machine,
): number => max_request_bodies ?? Math.min(maxDefaultBodyBytes, Math.floor(memoryBytes * memoryShare));

export interface RestService extends Service {
  /** Runs a request to preview its response. See `attempt.ts`. */
  readonly attempt: Attempt;
  /** Runs a request again for an operator and rolls it back. */
  readonly replay: Replay;
  /** Creates the routes of another service that serves calls of a function. See `endpoint.ts`. */
  readonly createEndpoint: CreateEndpoint;
}

/**
 * Creates the REST service.
 *
 * @example
 * const rest = createRest({ database, keys, config, dataDir, log, permissionHints: 'full' });
 * await rest.start?.();
 */
export function createRest({
  database,
  keys,
  config,
  dataDir,
  disk = spaciousDisk,
  log,
  permissionHints,
  pendingMigrations,
}: RestDeps): RestService {
  const settings = config.derive((current) => settingsFromConfig(current, permissionHints));
  const state = createState(projectSource(database, settings, log));
  const limits = config.derive(({ plinth: { rest } }) => ({
    responseBytes: rest.max_answer_size,
    totalBytes: rest.max_waiting_answers,
  }));
  config.onChange(async (next, previous) => {
    const before = settingsFromConfig(previous, permissionHints);
    if (isDeepStrictEqual(settingsFromConfig(next, permissionHints), before)) return;
    await state.reload('all');
    // When the settings changed, a reload may already have been running.
    await state.settled();
  });
  const deps = {
    responseStorage: new ResponseStorage(join(dataDir, 'answers'), limits),
    requestPath: database.requestPath,
    advise: createAdviser(database.pool('authenticator'), log),
    verify: (token: string) => keys.verify(token),
    clock: systemClock,
    log,
    disk,
    snapshot: () => state.snapshot(),
    constantSlots: (comparisons: readonly Comparison[]) =>
      readConstantSlots(database.pool('postgres'), comparisons),
    ...(pendingMigrations === undefined ? {} : { pendingMigrations }),
  };
  const routes = {
    bodies: new BodyBudget(() => bodyBudgetBytes(config.current.plinth.rest, thisMachine())),
    clock: deps.clock,
    log,
  };
  const mount: Omit<Mount, 'prefix' | 'plugin'> = {
    cors: 'open',
    exposeHeaders:
      database.requestPath.hasReplicas === true ? [...EXPOSED_HEADERS, LSN_HEADER] : EXPOSED_HEADERS,
    apiKeys: true,
    notesStatements: true,
    overloaded: [OVERLOADED],
    badPath: { status: INVALID_PATH.status, body: JSON.parse(errorBody(INVALID_PATH, 'verbose')) },
  };
  let listening: Promise<void> | undefined;
  let stopAnswering: (() => Promise<void>) | undefined;
  const ping = (anonRole: string | undefined) => {
    const role = anonRole ?? 'authenticator';
    return database.requestPath.execute({
      role,
      settings: [['role', role]],
      statement: { key: 'health', text: 'select 1' },
      params: [],
      access: 'read only',
      lane: 'shared',
    });
  };
  const checkAnon = cached(tableCheckMs, async () => {
    const { settings: current } = await state.snapshot();
    await ping(current.anonRole);
  });
  return {
    name: 'rest',
    attempt: createAttempt((request) => handle(request, deps)),
    replay: async (...given) => (await import('./replay.ts')).createReplay(handle, deps)(...given),
    createEndpoint: endpoints(deps, mount, routes),
    mounts: [
      {
        ...mount,
        prefix: PREFIX,
        plugin: restPlugin({ ...routes, prefix: PREFIX, handle: (request) => handle(request, deps) }),
        isFirst: true,
      },
      {
        prefix: '/rest-admin/v1',
        plugin: adminPlugin(() => state.fault() === undefined),
        cors: 'none',
        apiKeys: false,
        isProbe: true,
      },
    ],
    warm() {
      state.start();
      listening = state.listenOn(CHANNEL);
      listening.catch(() => undefined);
      // Opens a connection in advance for the first request.
      ping(settings().anonRole).catch(() => undefined);
    },
    async start(options) {
      if (listening === undefined || options?.hasChanged !== false) state.start();
      // The schema may have changed after `warm` read it.
      if (listening !== undefined && options?.hasChanged !== false) await state.settled();
      await (listening ?? state.listenOn(CHANNEL));
      stopAnswering = await database.answerSchemaRequests(async () => {
        await state.settled();
        return state.isCurrent();
      });
    },
    prepared: () => state.settled(),
    async stop() {
      await stopAnswering?.();
      await state.stop();
    },
    health: () => state.fault(),
    async check() {
      // The first call waits until the schema has been loaded.
      await state.snapshot();
      const fault = state.fault();
      if (fault !== undefined) return { status: 'failing', message: fault };
      await checkAnon();
      return undefined;
    },
  };
}
