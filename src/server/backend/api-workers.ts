/**
 * In the main process of a server with API workers, manages the port, the workers, and the private socket for requests
 * that workers don't handle. Decision 53 explains which process handles which requests.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Health, Service } from '../../base/kernel/service.ts';
import type { Certificates, PemPair } from '../../base/kernel/tls.ts';
import { Trace } from '../../base/kernel/trace.ts';
import { installedVersion } from '../../base/shared/files.ts';
import { makeRunFolder } from '../../base/shared/run-folder.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Member } from '../../platform/database/types.ts';
import {
  createListener,
  createWorkers,
  unpackFields,
  type WorkerMessage,
  type Workers,
} from '../cluster/index.ts';
import { type ForwardedMount, forwardedMount, type Gateway } from '../gateway/index.ts';
import type { Addresses } from './addresses.ts';
import type { BackendParts } from './parts.ts';
import type { WorkersOption } from './types.ts';

/**
 * The data that the main process sends to an API worker at startup. The data contains secrets, so it is sent only over
 * IPC.
 */
export interface WorkerInit {
  /**
   * The main process's version. If this version differs from the worker's version, Plinth has been updated, so the
   * worker exits.
   */
  readonly version: string;
  readonly workers: number;
  readonly projectDir: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  readonly config: Config;
  /** Whether the worker serves REST requests. If false, the REST service is disabled. */
  readonly hasRest: boolean;
  /** Whether the worker serves GraphQL requests. */
  readonly hasGraphql: boolean;
  readonly member: Member;
  /** The socket on which the main process serves all other requests. */
  readonly mainSocket: string;
  /** The folder for the worker's own socket. The worker removes the folder if the main process exits. */
  readonly socketDir: string;
  /** The mounts of all services in the main process. */
  readonly mounts: readonly ForwardedMount[];
  readonly apiUrl: string;
  /** Undefined if the port uses unencrypted HTTP. */
  readonly certificates: readonly PemPair[] | undefined;
}

export interface ApiWorkersInput {
  readonly services: readonly Service[];
  /** `api` is the main process's own gateway, which listens only on the private socket. */
  readonly gateways: { readonly api: Gateway };
  readonly addresses: Addresses;
  readonly certificates: Certificates | undefined;
  readonly probeAfterMs: number;
}

export interface ApiWorkers {
  /** Opens the port and starts the workers. Resolves with the port when all workers are ready. */
  listen(): Promise<number>;
  close(graceMs: number, drainMs: number): Promise<void>;
  restart(): Promise<void>;
  health(): Health;
  metrics(): MetricValues;
}

type Entries = Extract<WorkerMessage, { readonly kind: 'entries' }>;

/** The minimum time for which a rolling restart waits for another request on idle connections. */
const minRetireMs = 10_000;
const shutdownGraceMs = 10_000;
/** The maximum delay until the last accepted connection reaches a worker. */
const lastAcceptMs = 50;

export function createApiWorkers(
  parts: BackendParts,
  { count, fork }: WorkersOption,
  { services, gateways, addresses, certificates, probeAfterMs }: ApiWorkersInput,
): ApiWorkers {
  if (process.platform === 'win32')
    throw new Error('[server] workers: Windows supports only 1, because the processes share Unix sockets.');
  const { database, dataDir, projectDir, mode, telemetry, keys, live } = parts;
  const log = parts.log.child({ service: 'workers' });
  const version = installedVersion();
  const has = (service: string): boolean => services.some(({ name }) => name === service);
  const mounts = services.flatMap((service) => service.mounts.map(forwardedMount));
  let socketDir = '';
  let port = 0;

  const init = (): WorkerInit => ({
    version,
    workers: count,
    projectDir,
    dataDir,
    mode,
    config: live.current,
    hasRest: has('rest'),
    hasGraphql: has('graphql'),
    member: database.member(),
    mainSocket: join(socketDir, 'main'),
    socketDir,
    mounts,
    apiUrl: addresses.apiUrl(),
    certificates: certificates?.pairs(),
  });

  const receive = ({ lines, records }: Entries, worker: number): void => {
    for (const { level, fields, message } of lines)
      parts.log[level]({ ...unpackFields(fields), worker }, message);
    for (const record of records)
      telemetry.requestEnded({ ...record, trace: record.trace && revive(record.trace, record.durationMs) });
  };

  const workers: Workers = createWorkers<WorkerInit>({
    count,
    fork,
    init,
    onEntries: receive,
    onKeyUses: (uses) => keys.addKeyUses(uses),
    restoreLogins: () => database.restoreLogins(),
    retire: () => ({
      drainMs: Math.max(minRetireMs, live.current.plinth.server.drain),
      graceMs: shutdownGraceMs,
    }),
    log,
  });
  const listener = createListener(workers.take, probeAfterMs);
  live.onChange((next) => workers.setConfig(next));
  certificates?.onPairs(() => workers.setCertificates(certificates.pairs()));

  return {
    async listen() {
      socketDir = makeRunFolder('plinth-api-', dataDir);
      await gateways.api.listenOn(join(socketDir, 'main'));
      // Listens before the workers start, because each worker needs to know the port. Until the first worker is ready,
      // connections wait.
      port = await listener.listen(addresses.host, addresses.port);
      addresses.apiListens(port);
      await workers.start();
      return port;
    },
    async close(graceMs, drainMs) {
      const stopped = workers.stop({ graceMs, drainMs: drainMs + lastAcceptMs });
      await sleep(drainMs);
      listener.close();
      await stopped;
      await gateways.api.close(graceMs);
      if (socketDir !== '') rmSync(socketDir, { recursive: true, force: true });
    },
    restart: () => workers.restart(),
    health() {
      const all = workers.status();
      const ready = all.filter(({ isReady, facts }) => isReady && facts?.fault === undefined).length;
      if (ready === count) return { status: 'ok' };
      return ready === 0
        ? { status: 'failing', message: 'No API worker can serve requests. For the reason, see the log.' }
        : { status: 'degraded', message: `${ready} of ${count} API workers can serve requests.` };
    },
    metrics: () => workers.metrics(),
  };
}

/**
 * Creates an object of the class Trace from a message, because a message contains only a trace's fields. A trace's
 * times are relative to the start of the process that recorded the trace, so the start time is recomputed from the
 * duration.
 */
function revive(trace: Trace, durationMs: number): Trace {
  const { startedAt, ...fields } = trace;
  return Object.assign(new Trace(trace.requestId, performance.now() - durationMs), fields);
}
