/**
 * Records the caller and the statements of one request. The gateway creates a trace for each request, and any code can
 * add entries to this trace. Code that can't access the request gets the trace from the asynchronous context.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Span {
  /** The statement's text, with placeholders such as `$1` instead of values. */
  readonly text: string;
  /** The time between the start of the request and the start of the statement. */
  readonly startMs: number;
  readonly durationMs: number;
  /** The SQLSTATE of the error if the statement failed. */
  readonly error?: string | undefined;
}

/**
 * The maximum number of statements in a trace. Additional statements aren't recorded, so a loop that runs a statement
 * for each row can't fill the memory.
 */
const maxSpans = 40;

export class Trace {
  readonly requestId: string;
  /** When the request started, as a `performance.now()` time. */
  readonly startedAt: number;
  role: string | undefined;
  userId: string | undefined;
  /** The schema that the REST request selected, or the default schema. */
  schema: string | undefined;
  /** The Console operator who sent the request. */
  operator: string | undefined;
  spans: Span[] | undefined;
  /** The `traceparent` header of the request (W3C Trace Context), as received. */
  traceparent: string | undefined;
  /** Whether the sampling decision in {@link traceparent} is followed. */
  keepsSampling: boolean;
  /**
   * The configuration that the request uses. Set when code first reads the configuration for this request. See
   * `config/live.ts`.
   */
  config: object | undefined;
  /**
   * Whether the response was sent. Work that happens in the request's asynchronous context after the response isn't
   * part of the trace.
   */
  isOver: boolean;

  constructor(requestId: string, startedAt: number) {
    this.requestId = requestId;
    this.startedAt = startedAt;
    this.role = undefined;
    this.userId = undefined;
    this.schema = undefined;
    this.operator = undefined;
    this.spans = undefined;
    this.traceparent = undefined;
    this.keepsSampling = false;
    this.config = undefined;
    this.isOver = false;
  }

  /** Adds a statement. `startedAt` and `endedAt` are `performance.now()` times. */
  statement(text: string, startedAt: number, endedAt: number, error?: string): void {
    this.spans ??= [];
    if (this.spans.length >= maxSpans) return;
    this.spans.push({ text, startMs: startedAt - this.startedAt, durationMs: endedAt - startedAt, error });
  }
}

/** The trace of the current request. The REST service doesn't use this value but passes its trace explicitly. */
export const traces = new AsyncLocalStorage<Trace>();

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's trace. Undefined if the service runs without a gateway. */
    trace: Trace | undefined;
  }
}

/** A completed request, which the gateway reports to the log. */
export interface RequestRecord {
  /** The time at which the response was complete, in milliseconds since the epoch. */
  readonly at: number;
  readonly requestId: string;
  /** The service's name, or `gateway` if no service handled the request. */
  readonly service: string;
  readonly method: string;
  /** The pattern of the route, for example `/rest/v1/:relation`. Undefined if no route matched. */
  readonly route?: string | undefined;
  /** The original URL with its query. Secrets must be removed from the URL before it is shown. */
  readonly url: string;
  readonly status: number;
  readonly durationMs: number;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly trace: Trace | undefined;
}
