/**
 * The limits of a worker and what they decide. CPU is counted from the oldest pending request on, as the public guide
 * describes it; upstream's runtime sums it over a worker's life (docs/compatibility.md).
 */

export interface Limits {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** A worker's whole life. From half of it on it takes no new requests. */
  readonly wallClockMs: number;
  readonly answerMs: number;
  readonly idleMs: number;
  readonly maxWorkers: number;
}

export const defaultLimits: Limits = {
  cpuMs: 2000,
  memoryBytes: 320 * 1024 * 1024,
  wallClockMs: 400_000,
  answerMs: 150_000,
  idleMs: 60_000,
  maxWorkers: 20,
};

export interface Usage {
  /** CPU time the process has used since the oldest pending request began. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly ageMs: number;
}

/** What was exceeded, for the log; undefined when the worker may go on. */
export function exceeded(usage: Usage, limits: Limits): string | undefined {
  if (usage.cpuMs > limits.cpuMs) return `CPU time: ${Math.round(usage.cpuMs)} ms of ${limits.cpuMs} ms`;
  if (usage.memoryBytes > limits.memoryBytes) {
    return `memory: ${Math.round(usage.memoryBytes / 1048576)} MiB of ${Math.round(limits.memoryBytes / 1048576)} MiB`;
  }
  if (usage.ageMs > limits.wallClockMs) return `wall clock: ${limits.wallClockMs / 1000} s`;
  return undefined;
}
