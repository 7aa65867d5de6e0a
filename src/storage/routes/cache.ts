/** `DELETE /cdn…`: purges the CDN cache. This server has no CDN, so the request does nothing. */
import type { FastifyInstance } from 'fastify';
import { type Operation, operations } from '../operations.ts';
import { openScope, requireServiceRole } from '../scope.ts';
import type { StorageService } from '../service.ts';
import { authorizationHeader } from './schemas.ts';

export function cacheRoutes(app: FastifyInstance, service: StorageService): void {
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
        requireServiceRole(openScope(service, request, operation));
        return { message: 'success' };
      },
    );
  };
  purge('/cdn', operations.purgeTenant);
  purge('/cdn/', operations.purgeTenant);
  purge('/cdn/:bucketName', operations.purgeBucket);
  purge('/cdn/:bucketName/*', operations.purgeObject);
}
