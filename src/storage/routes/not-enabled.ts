/** `/vector/…` and `/iceberg/…`: buckets of kinds that this server does not have, in the words of the hosted service. */
import type { FastifyInstance } from 'fastify';
import { StorageError } from '../errors.ts';

export function notEnabledRoutes(app: FastifyInstance): void {
  for (const path of ['/vector/*', '/iceberg/*']) {
    app.all(path, async (request) => {
      request.raw.resume();
      throw new StorageError('TenantFeatureNotEnabled');
    });
  }
}
