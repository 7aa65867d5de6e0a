/** Declares `DELETE /object/…`, which deletes one or more objects in a bucket. */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import { findObject, viewOf } from '../queries/objects.ts';
import { removeObjects } from '../removals.ts';
import { openScope } from '../scope.ts';
import { authorizationHeader, type BucketParams, type ObjectParams } from './schemas.ts';

export function removeRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.delete<{ Params: ObjectParams }>(
    '/object/:bucketName/*',
    { schema: { headers: authorizationHeader }, config: { emptyBody: true } },
    async (request) => {
      const scope = openScope(ctx, request, operations.deleteObject);
      const { bucketName, '*': key } = request.params;
      if (`${bucketName}${key}`.includes('\0')) throw new StorageError('NoSuchKey');
      const deleted = await removeObjects(ctx, scope, bucketName, [key]);
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
      const scope = openScope(ctx, request, operations.deleteObjects);
      if (request.params.bucketName.includes('\0')) return [];
      const deleted = await removeObjects(ctx, scope, request.params.bucketName, request.body.prefixes);
      return deleted.map(viewOf);
    },
  );
}
