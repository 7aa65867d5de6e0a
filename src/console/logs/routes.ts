/** The log of all services, what one request did, and how the services are doing. */
import type { FastifyInstance } from 'fastify';
import { setGatewayHeaders } from '../../kernel/gateway-headers.ts';
import type { Keys } from '../../keys/types.ts';
import type { Telemetry } from '../../telemetry/types.ts';
import { createRedact } from '../edge-functions/redact.ts';
import { createEventStreams } from '../event-stream.ts';
import { type Api, parseAs } from '../routes/api.ts';

export interface LogDeps {
  readonly telemetry: Telemetry;
  readonly keys: Keys;
}

export function logRoutes(app: FastifyInstance, api: Api, { telemetry, keys }: LogDeps): void {
  const redact = createRedact(keys);
  const streams = createEventStreams();
  app.addHook('preClose', async () => streams.closeAll());
  const schemas = () => import('./schemas.ts');
  /** What functions print may hold any of them; JSON leaves their letters as they are. */
  const clean = <T>(answer: T): T => JSON.parse(redact(JSON.stringify(answer))) as T;

  api.route('GET', '/logs', 'read', async ({ request }) => {
    const { limit, cursor, ...filter } = await parseAs((await schemas()).logPage, request.query);
    const { entries, next } = await telemetry.list({ ...filter, shown: redact }, limit, cursor);
    return clean({ entries, next: next === undefined ? null : `${next.at}:${next.skip}` });
  });
  api.route('GET', '/logs/tail', 'read', async ({ request, reply }) => {
    const filter = await parseAs((await schemas()).logFilter, request.query);
    setGatewayHeaders(reply);
    streams.open(reply.raw, (send) =>
      telemetry.follow({ ...filter, shown: redact }, (entry) => send(redact(JSON.stringify(entry)))),
    );
    return reply.hijack();
  });
  api.route('GET', '/logs/requests/:id', 'read', async ({ request }) => {
    const { id } = request.params as { id: string };
    return clean({ entries: await telemetry.trace(id) });
  });
  api.route('GET', '/metrics', 'read', async ({ request }) => {
    const { minutes } = await parseAs((await schemas()).metricsRange, request.query);
    return telemetry.metrics(minutes * 60_000);
  });
}
