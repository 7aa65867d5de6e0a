/**
 * The last lines of every function, in memory: what it printed, and what the platform noted about its worker. Bounded in
 * lines, in characters a line and in functions, so that a function that prints without end costs no more than another.
 */

export interface FunctionLogLine {
  /** Grows from line to line, over all functions, for as long as this process lives. */
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The slug. */
  readonly function: string;
  /** `info`: standard output; `error`: standard error; `warn`: the platform about the worker. */
  readonly level: 'info' | 'warn' | 'error';
  readonly line: string;
  /** Known while the request is the only one of its worker; requests that overlap share one standard output. */
  readonly requestId: string | undefined;
}

export interface FunctionLogs {
  /** Oldest first: those behind line `afterId`, of one function or of all. */
  recent(options?: { readonly function?: string; readonly afterId?: number }): FunctionLogLine[];
  /** Called with each new line; returns the undo. The listener must be quick and must not throw. */
  follow(listener: (line: FunctionLogLine) => void): () => void;
}

export interface FunctionLogRing extends FunctionLogs {
  add(line: Omit<FunctionLogLine, 'id'>): void;
}

export interface LogBounds {
  readonly linesPerFunction: number;
  readonly charsPerLine: number;
  readonly functions: number;
}

export const defaultLogBounds: LogBounds = { linesPerFunction: 500, charsPerLine: 4000, functions: 200 };

/**
 * @example
 * const logs = createFunctionLogs();
 * logs.add({ at: Date.now(), function: 'hello', level: 'info', line: 'hi', requestId: undefined });
 * logs.recent({ function: 'hello' }).length; // 1
 */
export function createFunctionLogs(bounds: LogBounds = defaultLogBounds): FunctionLogRing {
  // In the order of their latest line, so that the first is the one to forget.
  const rings = new Map<string, FunctionLogLine[]>();
  const listeners = new Set<(line: FunctionLogLine) => void>();
  let lastId = 0;

  return {
    add(given) {
      lastId += 1;
      const { charsPerLine } = bounds;
      const text = given.line.length > charsPerLine ? `${given.line.slice(0, charsPerLine)} …` : given.line;
      const line = { ...given, line: text, id: lastId };
      const ring = rings.get(line.function) ?? [];
      rings.delete(line.function);
      const [oldest] = rings.keys();
      if (rings.size >= bounds.functions && oldest !== undefined) rings.delete(oldest);
      rings.set(line.function, ring);
      ring.push(line);
      if (ring.length > bounds.linesPerFunction) ring.shift();
      for (const listener of listeners) listener(line);
    },
    recent({ function: slug, afterId = 0 } = {}) {
      const lines = slug === undefined ? [...rings.values()].flat() : (rings.get(slug) ?? []);
      const wanted = lines.filter(({ id }) => id > afterId);
      return slug === undefined ? wanted.sort((left, right) => left.id - right.id) : wanted;
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
