/** `/vector/…` and `/iceberg/…`: unsupported bucket types, with the hosted service's error. */
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
