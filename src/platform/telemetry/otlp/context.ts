/** Handles the trace context of a request (https://www.w3.org/TR/trace-context/). */
import { createHmac, randomBytes } from 'node:crypto';

export interface TraceContext {
  /** The trace ID, which has 32 hexadecimal digits. */
  readonly traceId: string;
  /** The ID of this request's span, which has 16 hexadecimal digits. */
  readonly spanId: string;
  /** The ID of the caller's span. Undefined if the request started the trace. */
  readonly parentSpanId: string | undefined;
  /** Whether the trace is exported. */
  readonly isSampled: boolean;
}

/** Later versions of the header may have more fields after the flags. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Continues the trace of a `traceparent` header, or starts a trace. If `keepsSampling` is true, the header's sampled
 * flag determines whether the trace is exported. If `keepsSampling` is false or the trace is new, `isSampled` decides
 * by the trace ID.
 */
export function contextOf(
  header: string | undefined,
  keepsSampling: boolean,
  isSampled: (traceId: string) => boolean,
): TraceContext {
  const spanId = randomId(8);
  const [, version, traceId, parentSpanId, flags, rest] = pattern.exec(header ?? '') ?? [];
  const isValid =
    version !== 'ff' &&
    !(version === '00' && rest !== undefined) &&
    isId(traceId) &&
    isId(parentSpanId) &&
    flags !== undefined;
  if (!isValid) {
    const started = randomId(16);
    return { traceId: started, spanId, parentSpanId: undefined, isSampled: isSampled(started) };
  }
  const isSampledByCaller = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, parentSpanId, isSampled: keepsSampling ? isSampledByCaller : isSampled(traceId) };
}

/**
 * Returns a function that selects a fraction of traces, with the same result for all requests of a trace. Clients
 * choose trace IDs, so the selection also depends on a secret key.
 */
export function sampler(fraction: () => number, key: Buffer = randomBytes(32)): (traceId: string) => boolean {
  return (traceId) => {
    const part = fraction();
    if (part >= 1) return true;
    if (part <= 0) return false;
    return createHmac('sha256', key).update(traceId).digest().readUInt32BE(0) < part * 2 ** 32;
  };
}

/** Returns the `traceparent` header for outgoing requests that belong to the same trace as this request. */
export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

export function randomId(bytes: 8 | 16): string {
  const id = randomBytes(bytes).toString('hex');
  return isId(id) ? id : randomId(bytes);
}

/** An ID that consists only of zeros is invalid. */
const isId = (text: string | undefined): text is string => text !== undefined && /[^0]/.test(text);
