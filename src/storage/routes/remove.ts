/** `DELETE /object/…`: one object, or several of a bucket. */
import type { FastifyInstance } from 'fastify';
import { change } from '../changes.ts';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import { deleteObjects, findObject, type ObjectRow, viewOf } from '../queries/objects.ts';
import { openScope, type Scope } from '../scope.ts';
import type { StorageService } from '../service.ts';
import { authorizationHeader, type BucketParams, type ObjectParams } from './schemas.ts';

export function removeRoutes(app: FastifyInstance, service: StorageService): void {
  app.delete<{ Params: ObjectParams }>(
    '/object/:bucketName/*',
    { schema: { headers: authorizationHeader }, config: { emptyBody: true } },
    async (request) => {
      const scope = openScope(service, request, operations.deleteObject);
      const { bucketName, '*': key } = request.params;
      if (`${bucketName}${key}`.includes('\0')) throw new StorageError('NoSuchKey');
      const deleted = await remove(service, scope, bucketName, [key]);
      if (deleted.length === 0) {
        const exists = await scope.asService((tx) => findObject(tx, bucketName, key), { readOnly: true });
        throw new StorageError(exists ? 'AccessDenied' : 'NoSuchKey');
      }
      return { message: 'Successfully deleted' };
    },
  );

  app.delete<{ Params: BucketParams; Body: { prefixes: string[] } }>(
    '/object/:bucketName',
    {
      schema: {
        headers: authorizationHeader,
        body: {
          type: 'object',
          properties: { prefixes: { type: 'array', items: { type: 'string' }, minItems: 1 } },
          required: ['prefixes'],
        },
      },
    },
    async (request) => {
      const scope = openScope(service, request, operations.deleteObjects);
      if (request.params.bucketName.includes('\0')) return [];
      const deleted = await remove(service, scope, request.params.bucketName, request.body.prefixes);
      return deleted.map(viewOf);
    },
  );
}

/** Deletes what the caller's policies let go; their bytes follow once the rows are gone for good. */
function remove(
  service: StorageService,
  scope: Scope,
  bucketId: string,
  keys: readonly string[],
): Promise<ObjectRow[]> {
  return change(service, [], (change) => {
    change.committing();
    return scope.asUser(async (tx) => {
      const deleted = await deleteObjects(tx, bucketId, keys);
      await change.giveUp(deleted.map((row) => row.version));
      return deleted;
    });
  });
}
