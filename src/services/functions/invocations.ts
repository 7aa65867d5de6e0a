/** Keeps the results, durations and resource usage of the latest requests to each function in memory, up to a limit. */

export interface Invocation {
  /** A number that increases with each invocation of any function, until the server restarts. */
  readonly id: number;
  /** The time when the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  /** The function's slug. */
  readonly function: string;
  readonly requestId: string;
  readonly method: string;
  /** The path that the function received, without the query, because the query can contain secrets. */
  readonly path: string;
  /**
   * The HTTP status of the response. The status is null if the client disconnected before the response began, and 101
   * for a WebSocket connection.
   */
  readonly status: number | null;
  /**
   * The code of an error that the platform returned, such as `WORKER_LIMIT` or `BOOT_ERROR`. The code is undefined if
   * the response came from the function.
   */
  readonly code: string | undefined;
  /**
   * The time from the request's arrival until the response was complete. For a WebSocket connection, the time from the
   * request's arrival until the socket was closed.
   */
  readonly durationMs: number;
  /**
   * The time that the request waited until a process had started. The time is undefined if a process was already
   * running.
   */
  readonly bootMs: number | undefined;
  /**
   * The CPU time that the first thread of the process used during the request. This time includes the CPU time that
   * concurrent requests used.
   */
  readonly cpuMs: number | undefined;
  /** The resident memory of the process at the end of the request. */
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
  // The least recently invoked function is the first entry, which is removed when the map is full.
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
