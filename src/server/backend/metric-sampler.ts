/** Measures this node's load once a minute and stores it with the requests of the minute, for the Console's charts. */
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Service } from '../../base/kernel/service.ts';
import { cpuSecondsOf, sumOf } from './node-facts.ts';
import type { BackendParts } from './parts.ts';
import type { Services } from './services.ts';

export interface MetricSampler {
  start(): void;
  /** Waits for the sample that is being stored. */
  stop(): Promise<void>;
}

interface MeasuredParts {
  /** `loads` returns the connections of all processes of this node, and the CPU time and memory of the API workers. */
  readonly metrics: { readonly loads: () => MetricValues };
  readonly created: Pick<Services, 'realtime'>;
  readonly apiServices: readonly Service[];
  readonly disk: { readonly freeBytes: number };
}

const everyMs = 60_000;

export function createMetricSampler(
  { telemetry, log }: Pick<BackendParts, 'telemetry' | 'log'>,
  { metrics, created: { realtime }, apiServices, disk }: MeasuredParts,
): MetricSampler {
  const { loads } = metrics;
  const hasSockets = apiServices.includes(realtime);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isFailing = false;
  let last = { at: 0, cpuSeconds: 0 };

  function measure() {
    const values = loads();
    const now = { at: performance.now(), cpuSeconds: cpuSecondsOf(values) };
    const cpuCores = ((now.cpuSeconds - last.cpuSeconds) * 1000) / (now.at - last.at);
    last = now;
    return {
      // The CPU time of a worker that has ended isn't counted anymore.
      cpuCores: Math.max(0, Math.round(cpuCores * 1000) / 1000),
      memoryBytes: process.memoryUsage.rss() + sumOf(values, 'process_resident_memory_bytes'),
      connections: sumOf(values, 'plinth_connections_open'),
      databaseConnections: sumOf(values, 'plinth_pool_connections_open'),
      ...(hasSockets ? { sockets: realtime.report().sockets } : {}),
      diskFreeBytes: disk.freeBytes,
    };
  }

  function sample(): void {
    running = telemetry.metricHistory
      .sample(measure())
      .then(() => {
        isFailing = false;
      })
      .catch((error: unknown) => {
        if (!isFailing) log.warn({ error }, "the metrics of the last minute weren't stored");
        isFailing = true;
      });
  }

  return {
    start() {
      last = { at: performance.now(), cpuSeconds: cpuSecondsOf(loads()) };
      timer = setInterval(sample, everyMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
