/** Measures this process's memory, CPU time, event loop, garbage collection and file descriptors. */
import { readdirSync, readFileSync } from 'node:fs';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import { Histogram, histogramSamples } from '../../base/kernel/metrics/values.ts';
import { thisMachine } from '../../base/shared/machine.ts';

export interface ProcessMetrics {
  values(): MetricValues;
  stop(): void;
}

interface GcEntry extends PerformanceEntry {
  readonly detail?: { readonly kind?: number };
}

const lagResolutionMs = 20;

const gcKinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak_callbacks',
};

/** Starts to measure the event loop and garbage collection when `values` is first called. */
export function createProcessMetrics(): ProcessMetrics {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  const pauses = new Map(Object.values(gcKinds).map((kind) => [kind, new Histogram()]));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as GcEntry[]) {
      const kind = gcKinds[entry.detail?.kind ?? 0] ?? 'other';
      const known = pauses.get(kind) ?? new Histogram();
      pauses.set(kind, known);
      known.observe(entry.duration / 1000);
    }
  });
  let isObserving = false;
  const maxFds = maxFileDescriptors();

  return {
    values() {
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const values: MetricValues = {
        nodejs_version_info: [[[process.version], 1]],
        process_start_time_seconds: performance.timeOrigin / 1000,
        process_cpu_seconds_total: (user + system) / 1e6,
        process_resident_memory_bytes: rss,
        process_open_fds: openFileDescriptors(),
        process_max_fds: maxFds,
        nodejs_heap_size_used_bytes: heapUsed,
        nodejs_heap_size_total_bytes: heapTotal,
        nodejs_heap_size_limit_bytes: getHeapStatistics().heap_size_limit,
        nodejs_external_memory_bytes: external,
        nodejs_eventloop_lag_p50_seconds: lag.percentile(50) / 1e9,
        nodejs_eventloop_lag_p99_seconds: lag.percentile(99) / 1e9,
        nodejs_eventloop_lag_max_seconds: lag.max / 1e9,
        nodejs_gc_duration_seconds: histogramSamples(pauses),
        plinth_memory_limit_bytes: thisMachine().memoryBytes,
      };
      lag.reset();
      if (!isObserving) {
        lag.enable();
        observer.observe({ entryTypes: ['gc'] });
        isObserving = true;
      }
      return values;
    },
    stop() {
      lag.disable();
      observer.disconnect();
    },
  };
}

/** Returns the number of open file descriptors, or undefined on systems without /proc. */
function openFileDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

function maxFileDescriptors(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
