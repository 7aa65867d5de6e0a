/** Starts all parts in order, and stops them in order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readiness } from '../gateway/index.ts';
import type { Service } from '../kernel/service.ts';
import type { Project } from '../project/index.ts';
import type { DiskGuard } from './disk-guard.ts';
import type { Gateways } from './gateways.ts';
import type { Services } from './services.ts';
import type { Backend, BackendParts } from './types.ts';

export interface LifecycleInput {
  readonly services: readonly Service[];
  readonly created: Services;
  readonly gateways: Gateways;
  readonly readiness: Readiness;
  readonly disk: DiskGuard;
  readonly metrics: { stop(): void };
  readonly project: Project;
  /** Whether this start has applied migrations of Plinth. */
  readonly isMigrated: boolean;
  /** Returns the current `server.drain`. */
  readonly drainMs: () => number;
}

const shutdownGraceMs = 10_000;
/** The maximum time for which the start of the other services waits until REST can serve requests. */
const maxPreparationMs = 1000;

export function createLifecycle(
  { database, keys, log, mode, upToVersion, keepGoing, traceExporter }: BackendParts,
  {
    services,
    created: { jobs, storage, backups, drills, dropUnusedSlot },
    gateways,
    readiness,
    disk,
    metrics,
    project,
    isMigrated,
    drainMs,
  }: LifecycleInput,
): Pick<Backend, 'start' | 'stop'> {
  let state: 'new' | 'started' | 'stopped' = 'new';
  let stopping: Promise<void> | undefined;

  async function prepareAndListen(): Promise<void> {
    await disk.start();
    const isCreated = await project.prepareDatabase({
      ...(upToVersion === undefined ? {} : { upToVersion }),
      ...(keepGoing === undefined ? {} : { keepGoing }),
    });
    void keys.warm();
    const started = await Promise.allSettled(
      services.map((service) => service.start?.({ hasChanged: isMigrated || isCreated })),
    );
    const failed = started.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await gateways.listen();
    await Promise.race([
      Promise.all(services.map((service) => service.prepared?.())),
      sleep(maxPreparationMs, undefined, { ref: false }),
    ]);
    await gateways.complete();
    await project.prepareBuckets(
      services.includes(storage) ? (path, init) => gateways.api.fetch(path, init) : undefined,
    );
    await dropUnusedSlot?.();
    backups?.start();
  }

  async function stopAll(): Promise<void> {
    readiness.drain();
    // Completes requests from SQL while the port is open, because they may be addressed to this server.
    await jobs.stop?.().catch(() => undefined);
    await gateways
      .close(shutdownGraceMs, mode === 'production' ? drainMs() : 0)
      .catch((error: unknown) => log.error({ error }, 'failed to close a port'));
    await drills?.stop();
    // Stopped before the storage, which the last backup needs. No requests write at this point.
    await backups?.stop().catch((error: unknown) => log.error({ error }, 'failed to stop the backups'));
    await Promise.allSettled(services.map((service) => service !== jobs && service.stop?.()));
    disk.stop();
    metrics.stop();
    await database.stop();
    await traceExporter?.stop();
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
        throw inWords(error);
      }
    },
    stop,
  };
}

/** Converts an error about a port into a readable message that keeps the error's `code` and `port`. */
function inWords(error: unknown): unknown {
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (!(error instanceof Error) || port === undefined) return error;
  if (code === 'EACCES')
    error.message = `Port ${port} of ${address} requires a permission. On Linux, ports below 1024 require CAP_NET_BIND_SERVICE. deploy/plinth-ports.conf grants it with systemd.`;
  if (code === 'EADDRINUSE')
    error.message = `Port ${port} of ${address} is in use by another program. Stop that program, or use another port or 0 for a free port.`;
  return error;
}
