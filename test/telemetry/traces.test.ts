/** Tests traces for an OpenTelemetry collector, which this test simulates. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { LogFields, Logger } from '../../src/base/kernel/log.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: string } }[];
  readonly status?: { code: number };
}

const received: { path: string; headers: IncomingHttpHeaders; spans: Span[]; resource: object }[] = [];
/** The statuses of the next responses. After these responses, the collector accepts everything. */
const responses: number[] = [];
const collector = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const status = responses.shift() ?? 200;
    if (status === 200) {
      const [only] = JSON.parse(body).resourceSpans;
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        spans: only.scopeSpans[0].spans,
        resource: only.resource,
      });
    }
    response.writeHead(status).end('{}');
  });
});

const warnings: string[] = [];
const log: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: LogFields, message: string) => {
    if (message.includes('traces')) warnings.push(String(fields.reason));
  },
  error: () => undefined,
  child: () => log,
};

let backend: Awaited<ReturnType<typeof createTestBackend>>;
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  backend = await createTestBackend({
    log,
    sql: 'create table public.notes (id int primary key); grant select on public.notes to anon;',
    config: {
      project_id: 'traced',
      plinth: {
        server: { trusted_proxies: ['loopback'] },
        telemetry: {
          trust_incoming: 'proxies',
          otlp_endpoint: `http://127.0.0.1:${port}/`,
          otlp_headers: 'authorization=Bearer%20key, x-team=a',
        },
      },
    },
  });
});
afterAll(async () => {
  await backend?.stop();
  collector.close();
});

const spansOf = (traceId: string): Span[] =>
  received.flatMap(({ spans }) => spans).filter((span) => span.traceId === traceId);

const attributeOf = ({ attributes }: Span, key: string): string | undefined => {
  const found = attributes.find((attribute) => attribute.key === key)?.value;
  return found?.stringValue ?? found?.intValue;
};

const caller = 'b7ad6b7169203331';
let number = 0;
const newTraceId = (): string => (++number).toString(16).padStart(32, '4');

const get = (path: string, traceId: string, flags = '01'): Promise<Response> =>
  backend.fetch(path, {
    headers: { apikey: backend.keys.anonKey, traceparent: `00-${traceId}-${caller}-${flags}` },
  });

test('a request continues its trace, with a child span for its statement', async () => {
  const traceId = newTraceId();
  expect((await get('/rest/v1/notes?id=eq.424242', traceId)).status).toBe(200);
  await expect.poll(() => spansOf(traceId).length).toBe(2);
  const [server, statement] = spansOf(traceId) as [Span, Span];
  expect(server).toMatchObject({
    parentSpanId: caller,
    kind: 2,
    name: expect.stringMatching(/^GET \/rest\/v1\//),
  });
  expect(attributeOf(server, 'http.response.status_code')).toBe('200');
  expect(attributeOf(server, 'url.path')).toBe('/rest/v1/notes');
  expect(attributeOf(server, 'plinth.role')).toBe('anon');
  expect(server.status).toBeUndefined();
  expect(statement).toMatchObject({ parentSpanId: server.spanId, kind: 3 });
  expect(attributeOf(statement, 'db.query.text')).toContain('$1');
  expect(BigInt(statement.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(server.startTimeUnixNano));
  expect(BigInt(statement.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(server.endTimeUnixNano));
  const batch = received.find(({ spans }) => spans.includes(server));
  expect(batch?.path).toBe('/v1/traces');
  expect(batch?.headers).toMatchObject({ authorization: 'Bearer key', 'x-team': 'a' });
  expect(JSON.stringify(batch?.resource)).toContain('"traced"');
  expect(JSON.stringify(received)).not.toContain('424242');
});

test("a trace that the caller didn't sample isn't exported", async () => {
  const unsampled = newTraceId();
  const sampled = newTraceId();
  await get('/rest/v1/notes', unsampled, '00');
  await get('/rest/v1/notes', sampled);
  await expect.poll(() => spansOf(sampled).length).toBe(2);
  expect(spansOf(unsampled)).toEqual([]);
});

test('traces are kept while the collector is unavailable, and dropped if it rejects them', async () => {
  const late = newTraceId();
  responses.push(503);
  await get('/rest/v1/notes', late);
  await expect.poll(() => spansOf(late).length).toBe(2);
  expect(warnings).toEqual(['the collector responded with 503']);

  responses.push(400);
  const lost = newTraceId();
  await get('/rest/v1/notes', lost);
  await expect.poll(() => responses.length).toBe(0);
  const metrics = await backend.fetch('/metrics', {
    headers: { authorization: `Bearer ${backend.keys.secretKey}` },
  });
  const dropped = /plinth_traces_dropped_total (\d+)/.exec(await metrics.text())?.[1];
  expect(Number(dropped)).toBeGreaterThanOrEqual(1);
  expect(spansOf(lost)).toEqual([]);
});

test('a client can’t make the server export its requests', async () => {
  const { port } = collector.address() as AddressInfo;
  const open = await createTestBackend({
    config: { plinth: { telemetry: { otlp_endpoint: `http://127.0.0.1:${port}`, sampling: 0 } } },
  });
  onTestFinished(() => open.stop());
  const traceId = newTraceId();
  const response = await open.fetch('/rest/v1/', {
    headers: { apikey: open.keys.secretKey, traceparent: `00-${traceId}-${caller}-01` },
  });
  expect(response.status).toBe(200);
  // When the exporter stops, it sends all queued spans, so an exported trace would arrive now.
  await open.stop();
  expect(spansOf(traceId)).toEqual([]);
});
