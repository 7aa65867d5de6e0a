/** Defines the parts of the server that provide metrics. */

import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Service } from '../../base/kernel/service.ts';
import { readSizes, readStatistics } from '../../platform/database/index.ts';
import { mergeMetrics } from '../../platform/telemetry/index.ts';
import type { Tls } from '../tls/index.ts';
import type { ApiWorkers } from './api-workers.ts';
import type { Configuration } from './configuration.ts';
import type { DiskGuard } from './disk-guard.ts';
import type { Gateways } from './gateways.ts';
import {
  backupMetrics,
  configMetrics,
  createMetricsCollector,
  diskMetrics,
  gatewayMetrics,
  kept,
  type MetricSource,
  type MetricsCollector,
  poolMetrics,
  queueMetrics,
  replicaMetrics,
  single,
  tlsMetrics,
  withDatabaseUp,
} from './metrics.ts';
import type { BackendParts } from './parts.ts';
import { createProcessMetrics } from './process-metrics.ts';
import type { Services } from './services.ts';

/** File sizes are cached for a long time, because reading them is slow and they change slowly. */
const sizesLifetimeMs = 60_000;

export interface MetricParts {
  readonly services: readonly Service[];
  readonly created: Services;
  readonly disk: DiskGuard;
  readonly tls: Tls | undefined;
  readonly configuration: Configuration | undefined;
  readonly gateways: Gateways;
  readonly apiWorkers: ApiWorkers | undefined;
}

export interface ServerMetrics extends MetricsCollector {
  /**
   * Returns the connections of this process, and all metrics of the API workers. Unlike {@link collect}, never waits
   * for the database and doesn't begin a new period of measurement.
   */
  loads(): MetricValues;
  stop(): void;
}

export function createMetrics(
  { options, database, telemetry, traceExporter }: BackendParts,
  {
    services,
    created: { auth, functions, backups, verifications },
    disk,
    tls,
    configuration,
    gateways,
    apiWorkers,
  }: MetricParts,
): ServerMetrics {
  const processMetrics = createProcessMetrics();
  // The role `supabase_read_only_user` can read all statistics but isn't a superuser. Hosted databases don't have this
  // role, so `postgres` reads the statistics there.
  const pool = database.pool(database.info.ownsSchemas ? 'supabase_read_only_user' : 'postgres');
  const ofServices = services.flatMap((service): MetricSource[] =>
    service.metrics === undefined ? [] : [() => service.metrics?.() ?? {}],
  );
  const connectionMetrics = (): MetricValues => ({
    ...gatewayMetrics({
      // If there are API workers, the API port's load is omitted, because its connections come from the workers and not
      // from clients.
      ...(apiWorkers === undefined ? { api: gateways.api.load() } : {}),
      console: gateways.console?.load(),
    }),
    ...poolMetrics(database.loads()),
  });
  /** Returns the metrics that every process reports. */
  const ownMetrics = (): MetricValues => ({
    ...connectionMetrics(),
    ...processMetrics.values(),
    ...single('plinth_log_dropped_lines_total', options.droppedLogLines),
    ...queueMetrics({ passwords: auth.passwordQueue(), functions: functions.queue() }, gateways.api.queue()),
  });
  const collector = createMetricsCollector([
    () => telemetry.requestMetrics(),
    () => mergeMetrics([ownMetrics(), apiWorkers?.metrics() ?? {}]),
    () => replicaMetrics(database.replicas()),
    withDatabaseUp(() => readStatistics(pool)),
    kept(() => readSizes(pool), sizesLifetimeMs),
    () => diskMetrics(disk),
    () => (backups === undefined ? {} : backupMetrics(backups.status(), verifications?.last())),
    () => (tls === undefined ? {} : tlsMetrics(tls.status())),
    () => (configuration === undefined ? {} : configMetrics(configuration)),
    ...ofServices,
    () => single('plinth_traces_dropped_total', traceExporter?.dropped),
  ]);
  return {
    ...collector,
    loads: () => mergeMetrics([connectionMetrics(), apiWorkers?.metrics() ?? {}]),
    stop: () => processMetrics.stop(),
  };
}
