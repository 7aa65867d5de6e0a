/**
 * The limits of a worker and what they decide. CPU counts from the oldest pending request on, and anew whenever a request
 * ends, so that many short requests at once are not taken for one that never ends; upstream's runtime sums it over a
 * worker's life (docs/compatibility.md).
 */

export interface Limits {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** A worker's whole life. From half of it on it takes no new requests. */
  readonly wallClockMs: number;
  /** CPU time until a worker listens: loading and compiling its modules. */
  readonly bootCpuMs: number;
  readonly answerMs: number;
  readonly idleMs: number;
  readonly maxWorkers: number;
  /** Of one function: those that take no new requests any more count too. */
  readonly maxWorkersPerFunction: number;
  /** Requests and sockets under way in one worker. */
  readonly maxRequests: number;
  /** How long a request waits for a worker when there may be no other. */
  readonly waitMs: number;
}

export const defaultLimits: Limits = {
  cpuMs: 2000,
  memoryBytes: 320 * 1024 * 1024,
  wallClockMs: 400_000,
  bootCpuMs: 10_000,
  answerMs: 150_000,
  idleMs: 60_000,
  maxWorkers: 20,
  maxWorkersPerFunction: 4,
  maxRequests: 1000,
  waitMs: 10_000,
};

export interface Usage {
  /** CPU time the process has used since the oldest pending request began, or since one ended if that is later. */
  readonly cpuMs: number;
  /** CPU time since the oldest pending request began. */
  readonly oldestCpuMs: number;
  readonly memoryBytes: number;
  readonly ageMs: number;
}

/** As `beforeunload` names what comes to its end (supabase/edge-runtime). */
export type LimitName = 'cpu' | 'memory' | 'wall_clock';

/** What was exceeded, for the log; undefined when the worker may go on. */
export function exceeded(usage: Usage, limits: Limits): string | undefined {
  if (usage.cpuMs > limits.cpuMs) return `CPU time: ${Math.round(usage.cpuMs)} ms of ${limits.cpuMs} ms`;
  if (usage.memoryBytes > limits.memoryBytes) {
    return `memory: ${Math.round(usage.memoryBytes / 1048576)} MiB of ${Math.round(limits.memoryBytes / 1048576)} MiB`;
  }
  if (usage.ageMs > limits.wallClockMs) return `wall clock: ${limits.wallClockMs / 1000} s`;
  return undefined;
}

/** The limit of which 90 % are used: the function is told, as long as it still listens. */
export function nearlyExceeded(usage: Usage, limits: Limits): LimitName | undefined {
  if (usage.cpuMs > limits.cpuMs * 0.9) return 'cpu';
  if (usage.memoryBytes > limits.memoryBytes * 0.9) return 'memory';
  if (usage.ageMs > limits.wallClockMs * 0.9) return 'wall_clock';
  return undefined;
}

/** True: what comes next shall go to a fresh worker, and this one only finish what it has. */
export const isSpent = (usage: Usage, limits: Limits): boolean =>
  usage.oldestCpuMs > limits.cpuMs / 2 ||
  usage.memoryBytes > limits.memoryBytes * 0.75 ||
  usage.ageMs > limits.wallClockMs / 2;
