import type { FastifyInstance } from 'fastify';
import { setGatewayHeaders } from '../../../base/kernel/http.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Telemetry } from '../../../platform/telemetry/types.ts';
import { createEventStreams } from '../event-stream.ts';
import { createRedact, redactAll } from '../functions/redact.ts';
import type { Api } from '../routes/api.ts';

export interface LogDeps {
  readonly telemetry: Telemetry;
  readonly keys: Keys;
}

export function logRoutes(app: FastifyInstance, api: Api, { telemetry, keys }: LogDeps): void {
  const redact = createRedact(keys);
  const streams = createEventStreams();
  app.addHook('preClose', async () => streams.closeAll());
  const route = api.feature(() => import('./contract.ts'));
  /** Masks secrets, because the output of functions can contain them. */
  const clean = <T>(value: T): T => redactAll(value, redact);

  route('GET /logs', 'read', async (call) => {
    const { limit, cursor, ...filter } = await call.query();
    const { entries, next } = await telemetry.list({ ...filter, shown: redact }, limit, cursor);
    return clean({ entries, next: next === undefined ? null : `${next.at}:${next.skip}` });
  });
  route('GET /logs/tail', 'read', async ({ query, reply, authorize }) => {
    const filter = await query();
    setGatewayHeaders(reply);
    streams.open(
      reply.raw,
      (send) => telemetry.follow({ ...filter, shown: redact }, (entry) => send(JSON.stringify(clean(entry)))),
      authorize,
    );
    return reply.hijack();
  });
  route('GET /logs/requests/:id', 'read', async ({ params }) =>
    clean({ entries: await telemetry.trace(params.id) }),
  );
  route('GET /metrics', 'read', async ({ query }) => {
    const { minutes } = await query();
    return telemetry.metrics(minutes * 60_000);
  });
}
