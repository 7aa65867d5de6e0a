/**
 * The newest requests, a column for each field. Kept as objects they would all outlive the collector's young generation,
 * which costs a request more than the rest of its log; here nothing of it survives but its id and its address.
 */
import { type RequestRecord, type Span, Trace } from '../../kernel/trace.ts';

export interface RequestRing {
  push(record: RequestRecord): void;
  /** From the newest to the oldest. */
  backward(): Iterable<RequestRecord>;
  /** When the oldest one ended, milliseconds since the epoch; undefined until something was pushed out. */
  readonly oldestAt: number | undefined;
}

/** The same texts again and again: the one kept before is kept on, and the new one is forgotten with its request. */
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
  /** Most requests have one statement, and its text belongs to a shape that is kept anyhow. */
  const texts = createTexts(size);
  const spanStarts = new Float64Array(size);
  const spanDurations = new Float64Array(size);
  /** Where there are several, or one that failed. */
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
      // A copy of the place where it begins: while somebody reads, others write.
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
