/** `POST /object/move`: another key, perhaps in another bucket; the bytes stay where they are. */
import type { FastifyInstance } from 'fastify';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import { findObject, moveObject } from '../queries/objects.ts';
import { openScope } from '../scope.ts';
import type { StorageService } from '../service.ts';
import { requireKey } from '../uploads.ts';
import { authorizationHeader } from './schemas.ts';

interface MoveBody {
  bucketId: string;
  sourceKey: string;
  destinationBucket?: string;
  destinationKey: string;
}

export function moveRoutes(app: FastifyInstance, service: StorageService): void {
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
      const scope = openScope(service, request, operations.moveObject);
      const { bucketId, sourceKey, destinationKey } = request.body;
      requireKey(destinationKey);
      const move = {
        bucketId,
        name: sourceKey,
        toBucketId: request.body.destinationBucket || bucketId,
        toName: destinationKey,
        ...scope.owner,
      };
      const allowed = await scope.asUser(
        async (tx) => (await findObject(tx, bucketId, sourceKey)) && (await moveObject(tx, move)),
        { end: 'rollback' },
      );
      if (!allowed) throw new StorageError('NoSuchKey');
      const id = await scope.asService((tx) => moveObject(tx, move));
      if (!id) throw new StorageError('NoSuchKey');
      return { message: 'Successfully moved', Id: id, Key: destinationKey };
    },
  );
}
