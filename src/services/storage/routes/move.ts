/**
 * Declares `POST /object/move`, which moves an object to another key, optionally in another bucket. Moving an object
 * doesn't copy its bytes.
 */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import { findObject, findVersion, lockKey, moveObject } from '../queries/objects.ts';
import { openScope } from '../scope.ts';
import { requireFits, requireKey } from '../uploads.ts';
import { authorizationHeader } from './schemas.ts';

interface MoveBody {
  bucketId: string;
  sourceKey: string;
  destinationBucket?: string;
  destinationKey: string;
}

export function moveRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.post<{ Body: MoveBody }>(
    '/object/move',
    {
      schema: {
        headers: authorizationHeader,
        body: {
          type: 'object',
          properties: {
            bucketId: { type: 'string' },
            sourceKey: { type: 'string' },
            destinationBucket: { type: 'string' },
            destinationKey: { type: 'string' },
          },
          required: ['bucketId', 'sourceKey', 'destinationKey'],
        },
      },
    },
    async (request) => {
      const scope = openScope(ctx, request, operations.moveObject);
      const { bucketId, sourceKey, destinationKey } = request.body;
      requireKey(destinationKey);
      const move = {
        bucketId,
        name: sourceKey,
        toBucketId: request.body.destinationBucket || bucketId,
        toName: destinationKey,
        ...scope.owner,
      };
      const source = await scope.asUser(
        async (tx) => {
          const found = await findObject(tx, bucketId, sourceKey);
          return found && (await moveObject(tx, move)) ? found : undefined;
        },
        { end: 'rollback' },
      );
      if (!source) throw new StorageError('NoSuchKey');
      if (move.toBucketId !== bucketId)
        await requireFits(ctx, scope, { bucketId: move.toBucketId, key: destinationKey }, source.metadata);
      const id = await scope.asService(async (tx) => {
        await lockKey(tx, move.toBucketId, move.toName);
        // While this request waited for the lock, the object may have been replaced, possibly by another user.
        if ((await findVersion(tx, bucketId, sourceKey)) !== source.version)
          throw new StorageError('NoSuchKey');
        return moveObject(tx, move);
      });
      if (!id) throw new StorageError('NoSuchKey');
      return { message: 'Successfully moved', Id: id, Key: destinationKey };
    },
  );
}
