/** Stores the outcome, duration and resource usage of each function's latest requests in memory, up to a limit. */

export interface Invocation {
  /** Increases with each invocation of any function while this process runs. */
  readonly id: number;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  /** The function's slug. */
  readonly function: string;
  readonly requestId: string;
  readonly method: string;
  /** The path as the function sees it, without the query, which can contain secrets. */
  readonly path: string;
  /** Null if the caller disconnected before the response began. 101 for a WebSocket connection. */
  readonly status: number | null;
  /**
   * The code of an error returned by the platform, such as `WORKER_LIMIT` or `BOOT_ERROR`. Undefined if the function
   * responded.
   */
  readonly code: string | undefined;
  /** The time until the response or the socket ended. */
  readonly durationMs: number;
  /** The time that the request waited for a process to start. Undefined if a process was already running. */
  readonly bootMs: number | undefined;
  /** The CPU time of the process's first thread during the request, including the CPU time of concurrent requests. */
  readonly cpuMs: number | undefined;
  /** The resident memory of the process when the request ended. */
  readonly memoryBytes: number | undefined;
}

export interface Invocations {
  /** Returns the latest invocations, newest first. */
  recent(slug: string, limit: number): Invocation[];
}

export interface InvocationRing extends Invocations {
  add(invocation: Omit<Invocation, 'id'>): void;
}

export interface InvocationBounds {
  readonly perFunction: number;
  readonly functions: number;
  readonly charsPerPath: number;
}

export const defaultInvocationBounds: InvocationBounds = {
  perFunction: 200,
  functions: 200,
  charsPerPath: 300,
};

export function createInvocations(bounds: InvocationBounds = defaultInvocationBounds): InvocationRing {
  // Sorted by latest invocation, so the first entry is the one to evict.
  const rings = new Map<string, Invocation[]>();
  let lastId = 0;
  return {
    add(given) {
      lastId += 1;
      const ring = rings.get(given.function) ?? [];
      rings.delete(given.function);
      const [oldest] = rings.keys();
      if (rings.size >= bounds.functions && oldest !== undefined) rings.delete(oldest);
      rings.set(given.function, ring);
      ring.push({ ...given, path: given.path.slice(0, bounds.charsPerPath), id: lastId });
      if (ring.length > bounds.perFunction) ring.shift();
    },
    recent: (slug, limit) => (rings.get(slug) ?? []).slice(-limit).reverse(),
  };
}
