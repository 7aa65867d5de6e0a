/** Collects the state of this node for the other nodes and for operators (docs/decisions/0107-group-view.md). */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MetricName, MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Sample } from '../../base/kernel/metrics/values.ts';
import { thisMachine } from '../../base/shared/machine.ts';
import type { NodeFacts, NodeProblem } from '../../platform/group/types.ts';
import type { MetricsReport } from '../../platform/telemetry/index.ts';
import type { RealtimeReport } from '../../services/realtime/types.ts';
import type { ReadinessReport } from '../gateway/index.ts';
import type { Configuration } from './configuration.ts';

export interface FactSources {
  /** Returns the connections of all processes of this node, and the CPU time and memory of the API workers. */
  readonly loads: () => MetricValues;
  readonly readiness: () => Promise<ReadinessReport>;
  readonly requests: (rangeMs: number) => MetricsReport;
  /** Undefined if the realtime service is disabled. */
  readonly realtime: (() => RealtimeReport) | undefined;
  readonly jobs: () => NodeFacts['jobs'];
  readonly configuration: Pick<Configuration, 'status'> | undefined;
  readonly workers: number;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

export interface NodeFactsCollector {
  collect(): Promise<NodeFacts>;
  stop(): void;
}

const sampleMs = 5000;
const lifetimeMs = 1000;
const lagWindowMs = 200;
const lagResolutionMs = 10;
const requestsRangeMs = 60_000;

export function createNodeFacts(sources: FactSources): NodeFactsCollector {
  const cpu = createCpuAverage(() => cpuSecondsOf(sources.loads()));
  let latest: { readonly at: number; readonly facts: Promise<NodeFacts> } | undefined;
  return {
    collect() {
      const at = performance.now();
      if (latest === undefined || at - latest.at >= lifetimeMs)
        latest = { at, facts: read(sources, cpu.cores) };
      return latest.facts;
    },
    stop: cpu.stop,
  };
}

async function read(sources: FactSources, cpuCores: () => number): Promise<NodeFacts> {
  const [report, lagMs] = await Promise.all([sources.readiness(), measureLagMs()]);
  const values = sources.loads();
  const traffic = trafficOf(sources.requests(requestsRangeMs), sources.now());
  const machine = thisMachine();
  const settings = sources.configuration?.status();
  return {
    status: report.status,
    problems: Object.entries(report.checks).flatMap(([check, { status, message }]): NodeProblem[] =>
      status === 'ok' ? [] : [{ check, status, message: message ?? '' }],
    ),
    workers: sources.workers,
    ...traffic,
    cpuCores: rounded(cpuCores()),
    maxCpuCores: machine.cores,
    memoryBytes: process.memoryUsage.rss() + sumOf(values, 'process_resident_memory_bytes'),
    maxMemoryBytes: machine.memoryBytes,
    eventLoopLagMs: rounded(Math.max(lagMs, maxOf(values, 'nodejs_eventloop_lag_p99_seconds') * 1000)),
    connections: {
      open: sumOf(values, 'plinth_connections_open'),
      limit: sumOf(values, 'plinth_connections_limit'),
    },
    database: {
      open: sumOf(values, 'plinth_pool_connections_open'),
      limit: sumOf(values, 'plinth_pool_connections_limit'),
      waiting: sumOf(values, 'plinth_pool_waiting'),
    },
    realtime: sources.realtime === undefined ? null : realtimeOf(sources.realtime()),
    jobs: sources.jobs(),
    needsRestart: settings?.needsRestart.map(({ key }) => key) ?? [],
    settingsErrors: settings?.faults.length ?? 0,
  };
}

function realtimeOf({ sockets, channels, stream: { state, slot } }: RealtimeReport): NodeFacts['realtime'] {
  const isReader = state !== 'closed' && slot?.isRead === true;
  return {
    sockets,
    channels,
    slot: isReader ? slot.name : null,
    readsForGroup: isReader && slot.isShared,
  };
}

/** Returns the averages since the beginning of the report. */
export function trafficOf(
  { start, services }: MetricsReport,
  now: number,
): Pick<NodeFacts, 'requestsPerSecond' | 'failedPerSecond'> {
  const own = services.filter(({ service }) => service !== 'console');
  const seconds = Math.max(1, (now - start) / 1000);
  const perSecond = (value: 'requests' | 'failed'): number =>
    rounded(own.reduce((sum, { total }) => sum + total[value], 0) / seconds);
  return { requestsPerSecond: perSecond('requests'), failedPerSecond: perSecond('failed') };
}

/** Measures the event loop only while someone looks, because the measurement wakes the process regularly. */
async function measureLagMs(): Promise<number> {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  await sleep(lagWindowMs, undefined, { ref: false });
  lag.disable();
  const ms = lag.percentile(99) / 1e6;
  // Each measurement includes the interval between measurements.
  return Number.isFinite(ms) ? Math.max(0, ms - lagResolutionMs) : 0;
}

/** Returns the CPU time of this process and of its API workers. */
export const cpuSecondsOf = (values: MetricValues): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + sumOf(values, 'process_cpu_seconds_total');
};

/** Computes how many cores are used, from samples that are taken every few seconds. */
function createCpuAverage(seconds: () => number): { cores(): number; stop(): void } {
  const sample = () => ({ at: performance.now(), seconds: seconds() });
  let previous = sample();
  let last = previous;
  const timer = setInterval(() => {
    previous = last;
    last = sample();
  }, sampleMs).unref();
  return {
    cores() {
      const now = sample();
      const elapsedMs = now.at - previous.at;
      return elapsedMs <= 0 ? 0 : Math.max(0, ((now.seconds - previous.seconds) * 1000) / elapsedMs);
    },
    stop: () => clearInterval(timer),
  };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

function numbersOf(values: MetricValues, name: MetricName): number[] {
  const samples = values[name];
  if (samples === undefined) return [];
  if (typeof samples === 'number') return [samples];
  if (!Array.isArray(samples)) return [];
  return (samples as readonly Sample[])
    .map(([, value]) => value)
    .filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
}

/** Adds up a metric of all processes. */
export const sumOf = (values: MetricValues, name: MetricName): number =>
  numbersOf(values, name).reduce((sum, value) => sum + value, 0);

const maxOf = (values: MetricValues, name: MetricName): number => Math.max(0, ...numbersOf(values, name));
