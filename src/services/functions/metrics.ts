/**
 * Metrics of functions. The labels of these metrics are function names, so the number of functions in the project
 * limits the number of time series.
 */
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import { Histogram, histogramSamples, LabeledCounts } from '../../base/kernel/metrics/values.ts';
import type { Invocation } from './invocations.ts';

type NewInvocation = Omit<Invocation, 'id'>;

export interface FunctionMetrics {
  /** Records the start of a worker. `bootMs` is undefined if the start failed. */
  started(bootMs: number | undefined): void;
  /** Returns a callback that counts an invocation and then calls `next`. */
  counting(next: (invocation: NewInvocation) => void): (invocation: NewInvocation) => void;
  /**
   * Returns the metrics.
   * @param load The number of running workers and the number of requests that they are processing.
   */
  values(load: { readonly workers: number; readonly pending: number }, maxWorkers: number): MetricValues;
}

export function createFunctionMetrics(): FunctionMetrics {
  const starts = new LabeledCounts([['succeeded'], ['failed']]);
  const boots = new Histogram();
  const requests = new LabeledCounts();
  const coldRequests = new LabeledCounts();
  const durations = new Map<string, Histogram>();

  const durationsOf = (slug: string): Histogram => {
    const fresh = new Histogram();
    durations.set(slug, fresh);
    return fresh;
  };

  return {
    started(bootMs) {
      starts.add([bootMs === undefined ? 'failed' : 'succeeded']);
      if (bootMs !== undefined) boots.observe(bootMs / 1000);
    },
    counting: (next) => (invocation) => {
      const { function: slug, status, durationMs, bootMs } = invocation;
      requests.add([slug, classOf(status)]);
      if (bootMs !== undefined) coldRequests.add([slug]);
      (durations.get(slug) ?? durationsOf(slug)).observe(durationMs / 1000);
      next(invocation);
    },
    values: ({ workers, pending }, maxWorkers) => ({
      plinth_function_workers: workers,
      plinth_function_workers_limit: maxWorkers,
      plinth_function_pending: pending,
      plinth_function_starts_total: starts.samples(),
      plinth_function_start_seconds: boots.value(),
      plinth_function_requests_total: requests.samples(),
      plinth_function_cold_requests_total: coldRequests.samples(),
      plinth_function_duration_seconds: histogramSamples(durations),
    }),
  };
}

/** If the status is null, the client disconnected before the function responded. */
const classOf = (status: number | null): string =>
  status === null ? 'aborted' : `${Math.floor(status / 100)}xx`;
