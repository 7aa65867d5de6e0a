/** What load balancers and clients ask to see whether anybody is there. */
import type { FastifyInstance } from 'fastify';
import { hasBuckets } from '../queries/buckets.ts';
import { serverContext } from '../scope.ts';
import type { StorageService } from '../service.ts';

/** The release of supabase/storage whose behaviour this server has. */
const upstreamVersion = '1.11.2';

export function statusRoutes(app: FastifyInstance, service: StorageService): void {
  app.get('/status', (_request, reply) => reply.send());
  app.get('/version', (_request, reply) => reply.send(upstreamVersion));

  // Always 200, as upstream: the body tells.
  app.get('/health', async () => {
    try {
      await service.database.asRequest(serverContext(), hasBuckets, { readOnly: true });
      return { healthy: true };
    } catch (error) {
      service.log.warn({ error }, 'storage: the database cannot be asked');
      return { healthy: false };
    }
  });
}
