/** What load balancers and clients ask to see whether anybody is there. */
import type { FastifyInstance } from 'fastify';

/** The release of supabase/storage whose behaviour this server has. */
const upstreamVersion = '1.11.2';

export function statusRoutes(app: FastifyInstance): void {
  app.get('/status', (_request, reply) => reply.send());
  app.get('/version', (_request, reply) => reply.send(upstreamVersion));
}
