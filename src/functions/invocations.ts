/** The last requests of every function: how each ended, how long it took and what it used. In memory, bounded. */

export interface Invocation {
  /** Grows from one to the next, over all functions, for as long as this process lives. */
  readonly id: number;
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  /** The slug. */
  readonly function: string;
  readonly requestId: string;
  readonly method: string;
  /** As the function sees it, without the query, which may hold secrets. */
  readonly path: string;
  /** Null: the caller went away before an answer began. 101: a socket was opened. */
  readonly status: number | null;
  /** The platform's own answer: `WORKER_LIMIT`, `BOOT_ERROR`, …; undefined when the function answered. */
  readonly code: string | undefined;
  /** Until the answer, or the socket, had ended. */
  readonly durationMs: number;
  /** How long it waited for a process to start; undefined when one was there. */
  readonly bootMs: number | undefined;
  /** CPU time of the process's first thread meanwhile: of this request, and of others under way beside it. */
  readonly cpuMs: number | undefined;
  /** Resident memory of the process at the end. */
  readonly memoryBytes: number | undefined;
}

export interface Invocations {
  /** Newest first. */
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
  // In the order of their latest invocation, so that the first is the one to forget.
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
