/** Health and version endpoints for load balancers and clients. */
import type { FastifyInstance } from 'fastify';
import { hasBuckets } from '../queries/buckets.ts';
import { serverContext } from '../scope.ts';
import type { StorageService } from '../service.ts';

/** The release of supabase/storage that this service is compatible with. */
const upstreamVersion = '1.11.2';

export function statusRoutes(app: FastifyInstance, service: StorageService): void {
  app.get('/status', (_request, reply) => reply.send());
  app.get('/version', (_request, reply) => reply.send(upstreamVersion));

  // The status is always 200, as in upstream. The body contains the result.
  app.get('/health', async () => {
    try {
      await service.database.asRequest(serverContext(), hasBuckets, { readOnly: true });
      return { healthy: true };
    } catch (error) {
      service.log.warn({ error }, "storage: can't reach the database");
      return { healthy: false };
    }
  });
}
