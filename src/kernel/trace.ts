/**
 * What one request does on its way: who asked, and its statements. The gateway makes a trace for each request; whoever
 * learns something adds it. Code that has no request at hand finds the trace of its asynchronous context.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Span {
  /** Statement text, with `$1` for its values. */
  readonly text: string;
  /** From the beginning of the request. */
  readonly startMs: number;
  readonly durationMs: number;
  /** SQLSTATE, when it failed. */
  readonly error?: string | undefined;
}

/** More are not kept: a loop over rows must not fill the memory. */
const maxSpans = 40;

export class Trace {
  readonly requestId: string;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  role: string | undefined;
  userId: string | undefined;
  /** Of REST: the schema that the request named or meant. */
  schema: string | undefined;
  /** The Console's operator who asked. */
  operator: string | undefined;
  spans: Span[] | undefined;

  constructor(requestId: string, startedAt: number) {
    this.requestId = requestId;
    this.startedAt = startedAt;
    this.role = undefined;
    this.userId = undefined;
    this.schema = undefined;
    this.operator = undefined;
    this.spans = undefined;
  }

  /** `startedAt` and `endedAt` of `performance.now()`. */
  statement(text: string, startedAt: number, endedAt: number, error?: string): void {
    this.spans ??= [];
    if (this.spans.length >= maxSpans) return;
    this.spans.push({ text, startMs: startedAt - this.startedAt, durationMs: endedAt - startedAt, error });
  }
}

/** Of the request whose work runs right now. The REST service does without: it hands its trace on. */
export const traces = new AsyncLocalStorage<Trace>();

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where no gateway stands before the service. */
    trace: Trace | undefined;
  }
}

/** One answered request, as the gateway hands it to the log. */
export interface RequestRecord {
  /** Milliseconds since the epoch, when the answer was complete. */
  readonly at: number;
  readonly requestId: string;
  /** Name of the service, `gateway` where none is. */
  readonly service: string;
  readonly method: string;
  /** With its query, as it came: whoever shows it cuts secrets out. */
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly trace: Trace | undefined;
}
