/** Declares the endpoints about the service itself: health, version, cache purges, and features that aren't enabled. */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { StorageError } from '../errors.ts';
import { type Operation, operations } from '../operations.ts';
import { hasBuckets } from '../queries/buckets.ts';
import { openScope, requireServiceRole, serverContext } from '../scope.ts';
import { authorizationHeader } from './schemas.ts';

/** The supabase/storage release that this service is compatible with. */
const upstreamVersion = '1.11.2';

/** Declares the endpoints that load balancers and clients use. */
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

/** Declares `DELETE /cdn…`, which purges the CDN cache. This server has no CDN, so the request has no effect. */
export function cacheRoutes(app: FastifyInstance, ctx: StorageContext): void {
  const purge = (path: string, operation: Operation): void => {
    app.delete(
      path,
      {
        schema: {
          headers: authorizationHeader,
          querystring: { type: 'object', properties: { transformations: { type: 'boolean' } } },
        },
        config: { emptyBody: true },
      },
      async (request) => {
        requireServiceRole(openScope(ctx, request, operation));
        return { message: 'success' };
      },
    );
  };
  purge('/cdn', operations.purgeTenant);
  purge('/cdn/', operations.purgeTenant);
  purge('/cdn/:bucketName', operations.purgeBucket);
  purge('/cdn/:bucketName/*', operations.purgeObject);
}

/**
 * Declares `/vector/…` and `/iceberg/…`, the paths of bucket types that this server doesn't support. The error is the
 * same as in the hosted service.
 */
export function notEnabledRoutes(app: FastifyInstance): void {
  for (const path of ['/vector/*', '/iceberg/*']) {
    app.all(path, async (request) => {
      request.raw.resume();
      throw new StorageError('TenantFeatureNotEnabled');
    });
  }
}
