/**
 * Encodes requests as OTLP JSON (https://opentelemetry.io/docs/specs/otlp/), with a span for each request and each
 * statement.
 */
import type { RequestRecord, Span } from '../../../base/kernel/trace.ts';
import { randomId, type TraceContext } from './context.ts';

export interface TracedRequest {
  readonly record: RequestRecord;
  readonly context: TraceContext;
}

export interface Resource {
  /** The project's name. */
  readonly namespace: string;
}

const serverKind = 2;
const clientKind = 3;
const errorStatus = { code: 2 };

type Attribute = readonly [key: string, value: string | number | undefined];

export function encodeTraces(requests: readonly TracedRequest[], resource: Resource): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: {
          attributes: attributes([
            ['service.name', 'plinth'],
            ['service.namespace', resource.namespace],
          ]),
        },
        scopeSpans: [{ scope: { name: 'plinth' }, spans: requests.flatMap(spansOf) }],
      },
    ],
  });
}

function spansOf({ record, context }: TracedRequest): object[] {
  const { at, durationMs, method, route, url, status, trace } = record;
  const startedAtMs = at - durationMs;
  const server = {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.parentSpanId === undefined ? {} : { parentSpanId: context.parentSpanId }),
    name: route === undefined ? method : `${method} ${route}`,
    kind: serverKind,
    startTimeUnixNano: nanos(startedAtMs),
    endTimeUnixNano: nanos(at),
    attributes: attributes([
      ['http.request.method', method],
      ['http.route', route],
      // The URL's query string is omitted because it may contain keys and tokens.
      ['url.path', url.split('?', 1)[0]],
      ['http.response.status_code', status],
      ['client.address', record.ip],
      ['user_agent.original', record.userAgent],
      ['user.id', trace?.userId],
      ['plinth.service', record.service],
      ['plinth.request_id', record.requestId],
      ['plinth.role', trace?.role],
    ]),
    ...(status >= 500 ? { status: errorStatus } : {}),
  };
  const statements = (trace?.spans ?? []).map((span) => statementSpan(span, context, startedAtMs));
  return [server, ...statements];
}

function statementSpan(
  { text, startMs, durationMs, error }: Span,
  { traceId, spanId }: TraceContext,
  startedAtMs: number,
): object {
  return {
    traceId,
    spanId: randomId(8),
    parentSpanId: spanId,
    name: /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL',
    kind: clientKind,
    startTimeUnixNano: nanos(startedAtMs + startMs),
    endTimeUnixNano: nanos(startedAtMs + startMs + durationMs),
    attributes: attributes([
      ['db.system.name', 'postgresql'],
      ['db.query.text', text],
      ['db.response.status_code', error],
    ]),
    ...(error === undefined ? {} : { status: errorStatus }),
  };
}

const attributes = (all: readonly Attribute[]): object[] =>
  all.flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
  );

/** Returns nanoseconds since the epoch with microsecond precision. */
const nanos = (ms: number): string => `${Math.round(ms * 1000)}000`;
