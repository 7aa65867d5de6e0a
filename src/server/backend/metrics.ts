/** Collects the metrics of all parts of the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricName, MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Sample } from '../../base/kernel/metrics/values.ts';
import type { QueueLoad } from '../../base/kernel/service.ts';
import type { BackupStatus, VerificationRecord } from '../../operations/backup/index.ts';
import type { PoolLoad, ReplicaState } from '../../platform/database/types.ts';
import type { GatewayLoad, GatewayQueue } from '../gateway/index.ts';
import type { TlsStatus } from '../tls/index.ts';
import type { Configuration } from './configuration.ts';
import type { DiskGuard } from './disk-guard.ts';

export interface MetricsCollector {
  /** Returns the current metrics. The result is shared by concurrent calls and reused for a second. */
  collect(): Promise<MetricValues>;
}

/** Returns the metrics of one part of the server. If a source fails or takes too long, its metrics are omitted. */
export type MetricSource = () => MetricValues | Promise<MetricValues>;

const lifetimeMs = 1000;
/** The timeout is short, because a scrape must not wait for an unresponsive database. */
const defaultTimeoutMs = 1000;
/** This timeout is shorter than the other timeouts, so that an unresponsive database is reported as down. */
const databaseTimeoutMs = 800;

interface CollectorOptions {
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** The maximum time to wait for a source. */
  readonly timeoutMs?: number;
}

export function createMetricsCollector(
  sources: readonly MetricSource[],
  { now = () => performance.now(), timeoutMs = defaultTimeoutMs }: CollectorOptions = {},
): MetricsCollector {
  const pending = new Map<MetricSource, Promise<MetricValues>>();
  let latest: { readonly at: number; readonly values: Promise<MetricValues> } | undefined;

  /**
   * Reads a source. If the source's previous call is still running, waits for that call instead of starting another
   * call.
   */
  const read = (source: MetricSource): Promise<MetricValues> => {
    const running = pending.get(source);
    if (running !== undefined) return running;
    const started = (async () => source())()
      .catch((): MetricValues => ({}))
      .finally(() => pending.delete(source));
    pending.set(source, started);
    return started;
  };

  const readAll = async (): Promise<MetricValues> => {
    const ending = new AbortController();
    const late = sleep(timeoutMs, {}, { ref: false, signal: ending.signal }).catch(() => ({}));
    const all = await Promise.all(sources.map((source) => Promise.race([read(source), late])));
    ending.abort();
    return Object.assign({}, ...all) as MetricValues;
  };

  return {
    collect() {
      if (latest !== undefined && now() - latest.at < lifetimeMs) return latest.values;
      latest = { at: now(), values: readAll() };
      return latest.values;
    },
  };
}

/** Caches a source's result for `forMs`. Errors aren't cached, so the next call retries. */
export function kept(source: () => Promise<MetricValues>, forMs: number): MetricSource {
  let latest: { readonly at: number; readonly values: Promise<MetricValues> } | undefined;
  return () => {
    if (latest !== undefined && performance.now() - latest.at < forMs) return latest.values;
    const values = source();
    latest = { at: performance.now(), values };
    values.catch(() => {
      latest = undefined;
    });
    return values;
  };
}

/**
 * Returns the statistics, and a metric that shows whether they could be read in time. Only one call of `read` runs at a
 * time, because each call occupies a connection.
 */
export function withDatabaseUp(
  read: () => Promise<MetricValues>,
  timeoutMs = databaseTimeoutMs,
): MetricSource {
  let running: Promise<MetricValues | undefined> | undefined;
  return async () => {
    running ??= read()
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
    const ending = new AbortController();
    const late = sleep(timeoutMs, undefined, { ref: false, signal: ending.signal });
    const values = await Promise.race([running, late.catch(() => undefined)]);
    ending.abort();
    return { plinth_database_up: Number(values !== undefined), ...values };
  };
}

export function diskMetrics({
  freeBytes,
  totalBytes,
  isFull,
}: Pick<DiskGuard, 'freeBytes' | 'totalBytes' | 'isFull'>): MetricValues {
  return {
    plinth_disk_free_bytes: freeBytes,
    plinth_disk_size_bytes: totalBytes,
    plinth_disk_full: Number(isFull),
  };
}

export function backupMetrics(
  { lastBackup, newestRecoverableMs, running, overdue, error }: BackupStatus,
  verification: VerificationRecord | undefined,
): MetricValues {
  return {
    plinth_backup_last_success_timestamp_seconds: seconds(lastBackup?.endedAtMs),
    plinth_backup_last_size_bytes: lastBackup?.sizeBytes,
    plinth_backup_running: Number(running),
    plinth_backup_recoverable_timestamp_seconds: seconds(newestRecoverableMs),
    plinth_backup_overdue: Number(overdue),
    plinth_backup_failing: Number(error !== undefined),
    plinth_backup_verification_timestamp_seconds: seconds(verification?.endedMs),
    plinth_backup_verification_failed:
      verification &&
      Number(verification.error !== undefined || (verification.report?.problems.length ?? 0) > 0),
  };
}

const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

export function configMetrics({ last, status }: Pick<Configuration, 'last' | 'status'>): MetricValues {
  const { unapplied, needsRestart, faults } = status();
  return {
    plinth_config_last_reload_success: Number(!last.hasFailed),
    plinth_config_last_reload_success_timestamp_seconds: last.succeededAtMs / 1000,
    plinth_config_unapplied_settings: unapplied.length,
    plinth_config_restart_settings: needsRestart.length,
    plinth_config_faults: faults.length,
  };
}

export const tlsMetrics = ({ isFailing, certificates }: TlsStatus): MetricValues => ({
  plinth_tls_failing: Number(isFailing),
  plinth_tls_certificate_expiry_timestamp_seconds: certificates.map(({ name, expiresAtMs }) => [
    [name],
    expiresAtMs / 1000,
  ]),
});

export function poolMetrics(loads: readonly PoolLoad[]): MetricValues {
  const samples = (read: (load: PoolLoad) => number): Sample[] =>
    loads.map((load) => [[load.name], read(load)]);
  return {
    plinth_pool_connections_limit: samples(({ limit }) => limit),
    plinth_pool_connections_open: samples(({ open }) => open),
    plinth_pool_connections_busy: samples(({ busy }) => busy),
    plinth_pool_waiting: samples(({ waiting }) => waiting),
    plinth_pool_waited_total: samples(({ waited }) => waited),
    plinth_pool_waited_seconds_total: samples(({ waitedMs }) => waitedMs / 1000),
    plinth_pool_rejected_total: samples(({ rejected }) => rejected),
    plinth_pool_timeouts_total: samples(({ timeouts }) => timeouts),
  };
}

export const replicaMetrics = (states: readonly ReplicaState[]): MetricValues => ({
  plinth_replica_ready: states.map(({ name, status }) => [[name], status === 'ready' ? 1 : 0]),
  plinth_replica_lag_seconds: states.flatMap(({ name, lagMs }): Sample[] =>
    lagMs === undefined ? [] : [[[name], lagMs / 1000]],
  ),
});

/**
 * Returns the metrics of the API and Console ports.
 *
 * @param loads the load of each port, by the value of the metric label `listener`
 */
export function gatewayMetrics(loads: Readonly<Record<string, GatewayLoad | undefined>>): MetricValues {
  const open = Object.entries(loads).flatMap(([listener, load]) =>
    load === undefined ? [] : [{ listener, ...load }],
  );
  return {
    plinth_requests_in_flight: open.map(({ listener, inFlight }) => [[listener], inFlight]),
    plinth_connections_open: open.map(({ listener, connections }) => [[listener], connections]),
    plinth_connections_limit: open.map(({ listener, maxConnections }) => [[listener], maxConnections]),
    plinth_connections_rejected_total: open.flatMap(({ listener, rejected }) =>
      Object.entries(rejected).map(([reason, count]): Sample => [[listener, reason], count]),
    ),
    plinth_websockets_open: open.map(({ listener, websockets }) => [[listener], websockets]),
  };
}

/** Returns the metric, or no metric if the value is unknown. */
export const single = (name: MetricName, read: (() => number) | undefined): MetricValues =>
  read === undefined ? {} : { [name]: read() };

/**
 * Returns the metrics of all request queues except the queues for database connections.
 *
 * @param queues the queues by name
 * @param gateway the API port's queue, whose rejections are also counted per service
 */
export function queueMetrics(
  queues: Readonly<Record<string, QueueLoad>>,
  gateway: GatewayQueue | undefined,
): MetricValues {
  const all = Object.entries({ ...queues, ...(gateway === undefined ? {} : { gateway }) });
  const samples = (read: (load: QueueLoad) => number): Sample[] =>
    all.map(([name, load]) => [[name], read(load)]);
  return {
    plinth_queue_waiting: samples(({ waiting }) => waiting),
    plinth_queue_waited_total: samples(({ waited }) => waited),
    plinth_queue_waited_seconds_total: samples(({ waitedMs }) => waitedMs / 1000),
    plinth_queue_rejected_total: samples(({ rejected }) => rejected),
    ...(gateway === undefined
      ? {}
      : {
          plinth_gateway_expected_wait_seconds: [[[], gateway.expectedWaitMs / 1000]],
          plinth_gateway_rejected_total: [...gateway.rejectedByPrefix].map(
            ([prefix, count]): Sample => [[prefix], count],
          ),
        }),
  };
}
