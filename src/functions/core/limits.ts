/**
 * Worker limits and the decisions based on them. CPU time is counted from the start of the oldest pending request and
 * restarts whenever a request ends, so many short concurrent requests aren't mistaken for an endless request.
 * Upstream's runtime adds up CPU time over a worker's lifetime (docs/compatibility.md).
 */

export interface Limits {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** The maximum lifetime of a worker. After half of it, the worker accepts no new requests. */
  readonly wallClockMs: number;
  /** The maximum CPU time for loading and compiling modules before the worker listens. */
  readonly bootCpuMs: number;
  readonly responseMs: number;
  readonly idleMs: number;
  readonly maxWorkers: number;
  /** The maximum number of workers per function, including workers that no longer accept requests. */
  readonly maxWorkersPerFunction: number;
  /** The maximum number of concurrent requests and sockets per worker. */
  readonly maxRequests: number;
  /** The time limit for a request that waits for a worker when no more can be started. */
  readonly waitMs: number;
}

export const defaultLimits: Limits = {
  cpuMs: 2000,
  memoryBytes: 320 * 1024 * 1024,
  wallClockMs: 400_000,
  bootCpuMs: 10_000,
  responseMs: 150_000,
  idleMs: 60_000,
  maxWorkers: 20,
  maxWorkersPerFunction: 4,
  maxRequests: 1000,
  waitMs: 10_000,
};

export interface Usage {
  /** CPU time since the oldest pending request began or the last request ended, whichever is later. */
  readonly cpuMs: number;
  /** CPU time since the oldest pending request began. */
  readonly oldestCpuMs: number;
  readonly memoryBytes: number;
  readonly ageMs: number;
}

/** The reasons that supabase/edge-runtime passes to `beforeunload`. */
export type LimitName = 'cpu' | 'memory' | 'wall_clock';

/** Describes the exceeded limit for the log, or returns undefined if the worker is within its limits. */
export function exceeded(usage: Usage, limits: Limits): string | undefined {
  if (usage.cpuMs > limits.cpuMs) return `CPU time: ${Math.round(usage.cpuMs)} ms of ${limits.cpuMs} ms`;
  if (usage.memoryBytes > limits.memoryBytes) {
    return `memory: ${Math.round(usage.memoryBytes / 1048576)} MiB of ${Math.round(limits.memoryBytes / 1048576)} MiB`;
  }
  if (usage.ageMs > limits.wallClockMs) return `wall clock: ${limits.wallClockMs / 1000} s`;
  return undefined;
}

/** Returns the limit that is 90% used, so that the function can be notified while it still responds. */
export function nearlyExceeded(usage: Usage, limits: Limits): LimitName | undefined {
  if (usage.cpuMs > limits.cpuMs * 0.9) return 'cpu';
  if (usage.memoryBytes > limits.memoryBytes * 0.9) return 'memory';
  if (usage.ageMs > limits.wallClockMs * 0.9) return 'wall_clock';
  return undefined;
}

/** Whether new requests should be sent to a new worker while this worker only finishes its pending requests. */
export const isSpent = (usage: Usage, limits: Limits): boolean =>
  usage.oldestCpuMs > limits.cpuMs / 2 ||
  usage.memoryBytes > limits.memoryBytes * 0.75 ||
  usage.ageMs > limits.wallClockMs / 2;
