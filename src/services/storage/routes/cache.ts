/** Declares `DELETE /cdn…`, which purges the CDN cache. This server has no CDN, so the request has no effect. */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { type Operation, operations } from '../operations.ts';
import { openScope, requireServiceRole } from '../scope.ts';
import { authorizationHeader } from './schemas.ts';

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
