/**
 * The latest requests, stored in columns. As objects, they would all survive the garbage collector's young generation,
 * which would cost more than the rest of the request log. In columns, only a request's ID and URL survive.
 */
import { type RequestRecord, type Span, Trace } from '../../kernel/trace.ts';

export interface RequestRing {
  push(record: RequestRecord): void;
  /** Iterates from newest to oldest. */
  backward(): Iterable<RequestRecord>;
  /** When the oldest request ended, in milliseconds since the epoch. Undefined until a request was evicted. */
  readonly oldestAt: number | undefined;
}

/**
 * The same texts occur repeatedly. The stored copy is reused, and the new copy is garbage collected with its request.
 */
function createTexts(size: number) {
  const column = new Array<string | undefined>(size).fill(undefined);
  let last: string | undefined;
  return {
    set(place: number, text: string | undefined): void {
      if (text !== last) last = text;
      column[place] = last;
    },
    get: (place: number): string | undefined => column[place],
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
  /** Most requests have a single statement, whose text is usually already stored. */
  const texts = createTexts(size);
  const spanStarts = new Float64Array(size);
  const spanDurations = new Float64Array(size);
  /** Used for requests with several statements or a failed statement. */
  const spans = new Array<readonly Span[] | undefined>(size).fill(undefined);
  let next = 0;
  let count = 0;

  function setTrace(place: number, trace: Trace | undefined): void {
    traced[place] = trace === undefined ? 0 : 1;
    roles.set(place, trace?.role);
    users.set(place, trace?.userId);
    schemas.set(place, trace?.schema);
    operators.set(place, trace?.operator);
    const all = trace?.spans;
    const [only] = all ?? [];
    const isPlain = only !== undefined && all?.length === 1 && only.error === undefined;
    spans[place] = isPlain ? undefined : all;
    texts.set(place, isPlain ? only.text : undefined);
    spanStarts[place] = isPlain ? only.startMs : 0;
    spanDurations[place] = isPlain ? only.durationMs : 0;
  }

  function traceAt(place: number): Trace | undefined {
    if (traced[place] === 0) return undefined;
    const trace = new Trace(ids[place] as string, 0);
    trace.role = roles.get(place);
    trace.userId = users.get(place);
    trace.schema = schemas.get(place);
    trace.operator = operators.get(place);
    const text = texts.get(place);
    trace.spans =
      text === undefined
        ? spans[place]?.slice()
        : [{ text, startMs: spanStarts[place] as number, durationMs: spanDurations[place] as number }];
    return trace;
  }

  return {
    push(record) {
      const place = next;
      next = place + 1 === size ? 0 : place + 1;
      if (count < size) count++;
      at[place] = record.at;
      status[place] = record.status;
      durations[place] = record.durationMs;
      ids[place] = record.requestId;
      urls[place] = record.url;
      services.set(place, record.service);
      methods.set(place, record.method);
      addresses.set(place, record.ip);
      agents.set(place, record.userAgent);
      setTrace(place, record.trace);
    },
    *backward() {
      // A copy of the start position, because writes continue during reads.
      const start = next;
      for (let step = 1; step <= count; step++) {
        const place = (start - step + size) % size;
        yield {
          at: at[place] as number,
          requestId: ids[place] as string,
          service: services.get(place) as string,
          method: methods.get(place) as string,
          url: urls[place] as string,
          status: status[place] as number,
          durationMs: durations[place] as number,
          ip: addresses.get(place) as string,
          userAgent: agents.get(place),
          trace: traceAt(place),
        };
      }
    },
    get oldestAt() {
      return count < size ? undefined : at[next];
    },
  };
}
