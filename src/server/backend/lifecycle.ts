/** Starts and stops all parts of the server in the required order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../base/kernel/service.ts';
import type { Project } from '../../project/folder/index.ts';
import type { Readiness } from '../gateway/index.ts';
import type { BranchesService } from './branches/branches.ts';
import type { DiskGuard } from './disk-guard.ts';
import type { Gateways } from './gateways.ts';
import type { MetricSampler } from './metric-sampler.ts';
import type { BackendParts } from './parts.ts';
import type { RecentMetrics } from './recent-metrics.ts';
import type { Services } from './services.ts';
import type { Backend } from './types.ts';

export interface LifecycleInput {
  readonly services: readonly Service[];
  readonly created: Services;
  /** Undefined if this server can't have branches. */
  readonly branches: BranchesService | undefined;
  readonly gateways: Gateways;
  readonly readiness: Readiness;
  readonly disk: DiskGuard;
  readonly metrics: { stop(): void };
  readonly nodes: { stop(): void };
  readonly recentMetrics: RecentMetrics;
  readonly metricSampler: MetricSampler;
  readonly project: Project;
  /** Whether this startup applied any of Plinth's own migrations. */
  readonly isMigrated: boolean;
  /** Returns the current value of `server.drain`. */
  readonly drainMs: () => number;
}

const shutdownGraceMs = 10_000;
/** The maximum time to wait for REST to become ready before the other services start. */
const maxPreparationMs = 1000;

export function createLifecycle(
  { options, database, group, keys, log, mode, traceExporter, spareCopy }: BackendParts,
  {
    services,
    created: { jobs, storage, backups, verifications, dropUnusedSlot },
    branches,
    gateways,
    readiness,
    disk,
    metrics,
    nodes,
    recentMetrics,
    metricSampler,
    project,
    isMigrated,
    drainMs,
  }: LifecycleInput,
): Pick<Backend, 'start' | 'stop'> {
  const { upToVersion, keepGoing, signal } = options;
  let isListening = false;
  let state: 'new' | 'started' | 'stopped' = 'new';
  let stopping: Promise<void> | undefined;

  async function prepareAndListen(): Promise<void> {
    group.start();
    recentMetrics.start();
    metricSampler.start();
    await disk.start();
    const isCreated = await project.prepareDatabase({
      ...(upToVersion === undefined ? {} : { upToVersion }),
      ...(keepGoing === undefined ? {} : { keepGoing }),
    });
    signal?.throwIfAborted();
    void keys.warm();
    const started = Promise.allSettled(
      services.map((service) => service.start?.({ hasChanged: isMigrated || isCreated })),
    );
    const failed = (await untilAborted(started, signal)).find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await untilAborted(gateways.listen(), signal);
    isListening = true;
    await Promise.race([
      Promise.all(services.map((service) => service.prepared?.())),
      sleep(maxPreparationMs, undefined, { ref: false }),
    ]);
    await gateways.complete();
    await project.prepareBuckets(services.includes(storage) ? gateways.fetch : undefined);
    await dropUnusedSlot?.();
    backups?.start();
    await branches?.start();
    spareCopy.start();
  }

  async function stopAll(): Promise<void> {
    readiness.drain();
    const spareMade = spareCopy.stop();
    const branchesStopped = branches?.stop();
    // HTTP requests sent from SQL may be addressed to this server, so these requests are completed while the port is
    // still open.
    await jobs.stop?.().catch(() => undefined);
    const ms = mode === 'production' && isListening ? drainMs() : 0;
    const drained = Promise.allSettled(services.map((service) => service.drain?.(ms)));
    await gateways
      .close(shutdownGraceMs, ms)
      .catch((error: unknown) => log.error({ error }, 'failed to close a port'));
    await drained;
    await verifications?.stop();
    // Stops the backups before the storage service, because the last backup needs this service. All writes have
    // completed at this point.
    await backups?.stop().catch((error: unknown) => log.error({ error }, 'failed to stop the backups'));
    await Promise.allSettled(services.map((service) => service !== jobs && service.stop?.()));
    disk.stop();
    metrics.stop();
    nodes.stop();
    recentMetrics.stop();
    await metricSampler.stop();
    await group.stop();
    await database.stop();
    await traceExporter?.stop();
    await spareMade;
    await branchesStopped;
  }

  const stop = (): Promise<void> => {
    state = 'stopped';
    stopping ??= stopAll();
    return stopping;
  };

  return {
    async start() {
      if (state !== 'new') throw new Error(`this backend is already ${state}; create a new one`);
      state = 'started';
      try {
        await prepareAndListen();
      } catch (error) {
        await stop();
        signal?.throwIfAborted();
        throw inWords(error);
      }
    },
    stop,
  };
}

/** Waits for the work unless the signal is aborted. @throws the signal's reason */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Converts an error of opening a port into an error with a readable message. Keeps the properties `code` and `port` of
 * the error.
 */
function inWords(error: unknown): unknown {
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (!(error instanceof Error) || port === undefined) return error;
  if (code === 'EACCES')
    error.message = `Port ${port} of ${address} requires a permission. On Linux, ports below 1024 require CAP_NET_BIND_SERVICE. deploy/plinth-ports.conf grants it with systemd.`;
  if (code === 'EADDRINUSE')
    error.message = `Port ${port} of ${address} is in use by another program. Stop that program, or use another port or 0 for a free port.`;
  return error;
}
