/** Declares the endpoints for health and version, which load balancers and clients use. */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { hasBuckets } from '../queries/buckets.ts';
import { serverContext } from '../scope.ts';

/** The supabase/storage release that this service is compatible with. */
const upstreamVersion = '1.11.2';

export function statusRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.get('/status', (_request, reply) => reply.send());
  app.get('/version', (_request, reply) => reply.send(upstreamVersion));

  // As in upstream, the status is always 200, and the body contains the result.
  app.get('/health', async () => {
    try {
      await ctx.database.asRequest(serverContext(), hasBuckets, { readOnly: true });
      return { healthy: true };
    } catch (error) {
      ctx.log.warn({ error }, "storage: can't reach the database");
      return { healthy: false };
    }
  });
}
