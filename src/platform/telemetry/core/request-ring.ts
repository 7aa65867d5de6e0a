/**
 * Stores the latest requests in columns. If each request were an object, all of these objects would outlive the garbage
 * collector's young generation, which would cost more than the rest of the request log. With columns, only the ID and
 * the URL of each request live that long.
 */
import { type RequestRecord, type Span, Trace } from '../../../base/kernel/trace.ts';

interface RequestRing {
  push(record: RequestRecord): void;
  /** Yields the requests from newest to oldest. */
  backward(): Iterable<RequestRecord>;
  /**
   * The time at which the oldest request ended, in milliseconds since the epoch. Undefined until the first request is
   * evicted.
   */
  readonly oldestAt: number | undefined;
}

/**
 * Creates a column for strings that occur repeatedly. The column reuses its own copy of a string, so the request's copy
 * can be garbage-collected.
 */
function createTexts(size: number) {
  const column = new Array<string | undefined>(size).fill(undefined);
  let last: string | undefined;
  return {
    set(slot: number, text: string | undefined): void {
      if (text !== last) last = text;
      column[slot] = last;
    },
    get: (slot: number): string | undefined => column[slot],
  };
}

export function createRequestRing(size: number): RequestRing {
  const at = new Float64Array(size);
  const status = new Uint16Array(size);
  const durations = new Float64Array(size);
  const ids = new Array<string>(size).fill('');
  const urls = new Array<string>(size).fill('');
  const services = createTexts(size);
  const methods = createTexts(size);
  const addresses = createTexts(size);
  const agents = createTexts(size);
  const roles = createTexts(size);
  const users = createTexts(size);
  const schemas = createTexts(size);
  const operators = createTexts(size);
  const traced = new Uint8Array(size);
  /** Most requests run a single statement, whose text is usually already stored. */
  const texts = createTexts(size);
  const spanStarts = new Float64Array(size);
  const spanDurations = new Float64Array(size);
  /** The statements of each request that ran several statements or whose statement failed. */
  const spans = new Array<readonly Span[] | undefined>(size).fill(undefined);
  let next = 0;
  let count = 0;

  function setTrace(slot: number, trace: Trace | undefined): void {
    traced[slot] = trace === undefined ? 0 : 1;
    roles.set(slot, trace?.role);
    users.set(slot, trace?.userId);
    schemas.set(slot, trace?.schema);
    operators.set(slot, trace?.operator);
    const all = trace?.spans;
    const [only] = all ?? [];
    const isPlain = only !== undefined && all?.length === 1 && only.error === undefined;
    spans[slot] = isPlain ? undefined : all;
    texts.set(slot, isPlain ? only.text : undefined);
    spanStarts[slot] = isPlain ? only.startMs : 0;
    spanDurations[slot] = isPlain ? only.durationMs : 0;
  }

  function traceAt(slot: number): Trace | undefined {
    if (traced[slot] === 0) return undefined;
    const trace = new Trace(ids[slot] as string, 0);
    trace.role = roles.get(slot);
    trace.userId = users.get(slot);
    trace.schema = schemas.get(slot);
    trace.operator = operators.get(slot);
    const text = texts.get(slot);
    trace.spans =
      text === undefined
        ? spans[slot]?.slice()
        : [{ text, startMs: spanStarts[slot] as number, durationMs: spanDurations[slot] as number }];
    return trace;
  }

  return {
    push(record) {
      const slot = next;
      next = slot + 1 === size ? 0 : slot + 1;
      if (count < size) count++;
      at[slot] = record.at;
      status[slot] = record.status;
      durations[slot] = record.durationMs;
      ids[slot] = record.requestId;
      urls[slot] = record.url;
      services.set(slot, record.service);
      methods.set(slot, record.method);
      addresses.set(slot, record.ip);
      agents.set(slot, record.userAgent);
      setTrace(slot, record.trace);
    },
    *backward() {
      // The start position is copied because requests are added while others are read.
      const start = next;
      for (let step = 1; step <= count; step++) {
        const slot = (start - step + size) % size;
        yield {
          at: at[slot] as number,
          requestId: ids[slot] as string,
          service: services.get(slot) as string,
          method: methods.get(slot) as string,
          url: urls[slot] as string,
          status: status[slot] as number,
          durationMs: durations[slot] as number,
          ip: addresses.get(slot) as string,
          userAgent: agents.get(slot),
          trace: traceAt(slot),
        };
      }
    },
    get oldestAt() {
      return count < size ? undefined : at[next];
    },
  };
}

/** A buffer that keeps the latest items, up to a fixed number. */
interface Ring<T> {
  push(item: T): void;
  /** Yields the items from newest to oldest. */
  backward(): Iterable<T>;
  /** The oldest item in the buffer. Undefined until the first item is evicted. */
  readonly oldestKept: T | undefined;
}

/**
 * Creates a buffer for the latest `size` items.
 *
 * @example createRing<string>(3000)
 */
export function createRing<T>(size: number): Ring<T> {
  const items: T[] = [];
  let next = 0;
  return {
    push(item) {
      if (items.length < size) {
        items.push(item);
        return;
      }
      items[next] = item;
      next = next + 1 === size ? 0 : next + 1;
    },
    *backward() {
      // The start position is copied because items are added while others are read.
      const start = next;
      for (let step = 1; step <= items.length; step++)
        yield items[(start - step + items.length) % items.length] as T;
    },
    get oldestKept() {
      return items.length < size ? undefined : items[next];
    },
  };
}
