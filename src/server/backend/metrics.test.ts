import { expect, test } from 'vitest';
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import { renderMetrics } from '../../platform/telemetry/index.ts';
import { backupHealth } from './health.ts';
import {
  backupMetrics,
  createMetricsCollector,
  diskMetrics,
  gatewayMetrics,
  kept,
  poolMetrics,
  queueMetrics,
  tlsMetrics,
  withDatabaseUp,
} from './metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';

/** Parses text in the Prometheus format and returns the values by metric name. */
function read(values: MetricValues): Record<string, number> {
  const lines = renderMetrics(values)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]),
  );
}

const pool = {
  name: 'rest_slow',
  limit: 4,
  open: 3,
  busy: 2,
  waiting: 1,
  rejected: 8,
  timeouts: 9,
  waited: 10,
  waitedMs: 1500,
};

const lastBackup = {
  id: 'a',
  startedAtMs: 1000,
  endedAtMs: 2000,
  sizeBytes: 77,
  storedBytes: 1,
  timeline: 1,
  newestMs: 3000,
};

test('each part reports its metrics', () => {
  const port = {
    connections: 5,
    maxConnections: 20,
    inFlight: 2,
    websockets: 1,
    rejected: { total: 3, address: 4, pipelined: 6 },
  };
  expect(
    read({
      ...diskMetrics({ freeBytes: 5, totalBytes: 10, isFull: true }),
      ...poolMetrics([pool]),
      ...backupMetrics(
        {
          to: '/backups',
          lastBackup,
          running: true,
          newestRecoverableMs: 3000,
          nextMs: undefined,
          overdue: true,
          error: undefined,
        },
        { startedMs: 3000, endedMs: 4000, error: 'The bucket is away.' },
      ),
      ...tlsMetrics({ certificates: [{ name: 'api.example.com', expiresAtMs: 4000 }], isFailing: true }),
      ...gatewayMetrics({ api: port, console: undefined }),
    }),
  ).toEqual({
    plinth_disk_free_bytes: 5,
    plinth_disk_size_bytes: 10,
    plinth_disk_full: 1,
    'plinth_pool_connections_limit{pool="rest_slow"}': 4,
    'plinth_pool_connections_open{pool="rest_slow"}': 3,
    'plinth_pool_connections_busy{pool="rest_slow"}': 2,
    'plinth_pool_waiting{pool="rest_slow"}': 1,
    'plinth_pool_rejected_total{pool="rest_slow"}': 8,
    'plinth_pool_timeouts_total{pool="rest_slow"}': 9,
    'plinth_pool_waited_total{pool="rest_slow"}': 10,
    'plinth_pool_waited_seconds_total{pool="rest_slow"}': 1.5,
    plinth_backup_last_success_timestamp_seconds: 2,
    plinth_backup_last_size_bytes: 77,
    plinth_backup_running: 1,
    plinth_backup_recoverable_timestamp_seconds: 3,
    plinth_backup_overdue: 1,
    plinth_backup_failing: 0,
    plinth_backup_verification_timestamp_seconds: 4,
    plinth_backup_verification_failed: 1,
    plinth_tls_failing: 1,
    'plinth_tls_certificate_expiry_timestamp_seconds{certificate="api.example.com"}': 4,
    'plinth_connections_open{listener="api"}': 5,
    'plinth_connections_limit{listener="api"}': 20,
    'plinth_connections_rejected_total{listener="api",reason="total"}': 3,
    'plinth_connections_rejected_total{listener="api",reason="address"}': 4,
    'plinth_connections_rejected_total{listener="api",reason="pipelined"}': 6,
    'plinth_requests_in_flight{listener="api"}': 2,
    'plinth_websockets_open{listener="api"}': 1,
  });
});

test('process metrics are reported', async () => {
  const measured = createProcessMetrics();
  measured.values();
  const collections = (): number => {
    // Allocates memory until the metrics report a garbage collection.
    const garbage = Array.from({ length: 300_000 }, (_none, index) => ({ index }));
    const { 'nodejs_gc_duration_seconds_count{kind="minor"}': count = 0 } = read(measured.values());
    return garbage.length > 0 ? count : 0;
  };
  await expect.poll(collections, { interval: 20, timeout: 10_000 }).toBeGreaterThan(0);
  const values = read(measured.values());
  expect(values.process_resident_memory_bytes).toBeGreaterThan(1_000_000);
  expect(values.process_open_fds).toBeGreaterThan(2);
  expect(values.process_max_fds).toBeGreaterThan(values.process_open_fds ?? 0);
  expect(values.process_cpu_seconds_total).toBeGreaterThan(0);
  expect(values.nodejs_eventloop_lag_p99_seconds).toBeGreaterThanOrEqual(0);
  measured.stop();
});

test('a part that fails or hangs is omitted, and isn’t called again while it hangs', async () => {
  let time = 0;
  let calls = 0;
  const hanging = Promise.withResolvers<MetricValues>();
  const collector = createMetricsCollector(
    [
      () => ({ plinth_disk_full: 0 }),
      () => {
        throw new Error('broken');
      },
      () => {
        calls += 1;
        return hanging.promise;
      },
    ],
    { now: () => time, timeoutMs: 20 },
  );
  expect(await collector.collect()).toEqual({ plinth_disk_full: 0 });
  time += 1000;
  expect(await collector.collect()).toEqual({ plinth_disk_full: 0 });
  expect(calls).toBe(1);
  hanging.resolve({ plinth_jobs_queued: 1 });
  await hanging.promise;
  time += 1000;
  expect(await collector.collect()).toEqual({ plinth_disk_full: 0, plinth_jobs_queued: 1 });
});

test('scrapes within a second share one result', async () => {
  let time = 0;
  let calls = 0;
  const collector = createMetricsCollector(
    [
      () => {
        calls += 1;
        return {};
      },
    ],
    { now: () => time },
  );
  await Promise.all([collector.collect(), collector.collect()]);
  time += 999;
  await collector.collect();
  expect(calls).toBe(1);
  time += 1;
  await collector.collect();
  expect(calls).toBe(2);
});

test('a database that fails or hangs is reported as down', async () => {
  expect(await withDatabaseUp(async () => ({ plinth_jobs_queued: 1 }))()).toEqual({
    plinth_database_up: 1,
    plinth_jobs_queued: 1,
  });
  expect(await withDatabaseUp(() => Promise.reject(new Error('gone')))()).toEqual({ plinth_database_up: 0 });
  let calls = 0;
  const source = withDatabaseUp(() => {
    calls += 1;
    return new Promise(() => undefined);
  }, 20);
  expect(await source()).toEqual({ plinth_database_up: 0 });
  await source();
  expect(calls).toBe(1);
});

test('a cached value is read again after an error', async () => {
  let calls = 0;
  const source = kept(async () => {
    calls += 1;
    if (calls === 1) throw new Error('broken');
    return { plinth_jobs_queued: calls };
  }, 60_000);
  await expect(source()).rejects.toThrow('broken');
  expect(await source()).toEqual({ plinth_jobs_queued: 2 });
  expect(await source()).toEqual({ plinth_jobs_queued: 2 });
});

test('a failing backup never makes the server unready', () => {
  expect(backupHealth({ error: 'The bucket is away.', overdue: false }).status).toBe('degraded');
  expect(backupHealth({ error: undefined, overdue: true }).status).toBe('degraded');
  expect(backupHealth({ error: undefined, overdue: false })).toEqual({ status: 'ok' });
});

test('each queue has a label, and the gateway’s rejections are counted per service', () => {
  const load = { waiting: 3, waited: 20, waitedMs: 1500, rejected: 7 };
  const gateway = { ...load, waiting: 1, expectedWaitMs: 250, rejectedByPrefix: new Map([['/rest/v1', 7]]) };
  expect(queueMetrics({ passwords: load }, gateway)).toMatchObject({
    plinth_queue_waiting: [
      [['passwords'], 3],
      [['gateway'], 1],
    ],
    plinth_queue_waited_seconds_total: [
      [['passwords'], 1.5],
      [['gateway'], 1.5],
    ],
    plinth_gateway_expected_wait_seconds: [[[], 0.25]],
    plinth_gateway_rejected_total: [[['/rest/v1'], 7]],
  });
  expect(queueMetrics({}, undefined)).toMatchObject({ plinth_queue_waiting: [] });
});
