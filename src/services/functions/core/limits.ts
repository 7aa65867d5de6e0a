/**
 * Determines whether a worker has reached its limits. A worker's CPU time is counted from the start of the oldest
 * pending request. The count restarts whenever a request ends, so that many short concurrent requests aren't mistaken
 * for an endless request. Upstream's runtime counts the CPU time of a worker's entire lifetime (docs/compatibility.md).
 */

export interface Limits {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** The maximum lifetime of a worker. After half of its lifetime, the worker doesn't receive new requests. */
  readonly wallClockMs: number;
  /** The maximum CPU time that a worker may use to load and compile modules before it accepts connections. */
  readonly bootCpuMs: number;
  readonly responseMs: number;
  readonly idleMs: number;
  readonly maxWorkers: number;
  /** The maximum number of workers per function. This number includes workers that don't receive new requests. */
  readonly maxWorkersPerFunction: number;
  /** The maximum number of concurrent requests and sockets per worker. */
  readonly maxRequests: number;
  /** The maximum number of requests that wait for a worker. */
  readonly maxWaiting: number;
  /** The maximum time that a request waits for a worker if no additional worker can be started. */
  readonly waitMs: number;
}

/** The limits on a machine with at least 5 GiB of memory. */
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
  maxWaiting: 1000,
  waitMs: 10_000,
};

const bytesPerWorker = 256 * 1024 ** 2;
const minWorkers = 2;
/**
 * The minimum memory per worker. A small function that uses the standard client needs more than half of this memory.
 */
const minWorkerBytes = 160 * 1024 ** 2;

/**
 * Returns the limits for a machine. If the machine has little memory, fewer workers run, and each worker may use at
 * most three eighths of the memory.
 */
export function limitsFor(machineBytes: number): Limits {
  const { maxWorkers, memoryBytes } = defaultLimits;
  return {
    ...defaultLimits,
    maxWorkers: Math.max(minWorkers, Math.min(maxWorkers, Math.floor(machineBytes / bytesPerWorker))),
    memoryBytes: Math.max(minWorkerBytes, Math.min(memoryBytes, Math.floor((machineBytes * 3) / 8))),
  };
}

/**
 * Returns the maximum number of concurrent requests from one client to one function. A quarter of the function's slots
 * is reserved for other clients.
 */
export const maxRequestsPerClient = (
  { maxWorkersPerFunction, maxRequests }: Limits,
  isShared: boolean,
): number => Math.max(1, Math.floor((maxWorkersPerFunction * (isShared ? maxRequests : 1) * 3) / 4));

export interface Usage {
  /** The CPU time since the oldest pending request started or the last request ended, whichever was later. */
  readonly cpuMs: number;
  /** The CPU time since the oldest pending request started. */
  readonly oldestCpuMs: number;
  readonly memoryBytes: number;
  readonly ageMs: number;
}

/** The reasons that the `beforeunload` event contains in supabase/edge-runtime. */
export type LimitName = 'cpu' | 'memory' | 'wall_clock';

/** Returns a description of the exceeded limit for the log, or undefined if the worker is within all limits. */
export function exceeded(usage: Usage, limits: Limits): string | undefined {
  if (usage.cpuMs > limits.cpuMs) return `CPU time: ${Math.round(usage.cpuMs)} ms of ${limits.cpuMs} ms`;
  if (usage.memoryBytes > limits.memoryBytes) {
    return `memory: ${Math.round(usage.memoryBytes / 1048576)} MiB of ${Math.round(limits.memoryBytes / 1048576)} MiB`;
  }
  if (usage.ageMs > limits.wallClockMs) return `wall clock: ${limits.wallClockMs / 1000} s`;
  return undefined;
}

/**
 * Returns the name of a limit if the worker has used more than 90% of it. The function can then be notified while it
 * can still respond.
 */
export function nearlyExceeded(usage: Usage, limits: Limits): LimitName | undefined {
  if (usage.cpuMs > limits.cpuMs * 0.9) return 'cpu';
  if (usage.memoryBytes > limits.memoryBytes * 0.9) return 'memory';
  if (usage.ageMs > limits.wallClockMs * 0.9) return 'wall_clock';
  return undefined;
}

/**
 * Whether a worker should only finish its pending requests. New requests for its function are then sent to a new
 * worker.
 */
export const isSpent = (usage: Usage, limits: Limits): boolean =>
  usage.oldestCpuMs > limits.cpuMs / 2 ||
  usage.memoryBytes > limits.memoryBytes * 0.75 ||
  usage.ageMs > limits.wallClockMs / 2;
