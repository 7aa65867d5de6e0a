/**
 * Declares `/vector/…` and `/iceberg/…`, the paths of bucket types that this server doesn't support. The error is the
 * same as in the hosted service.
 */
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
