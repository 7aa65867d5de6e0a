/**
 * Declares `POST /object/copy` and `POST /object/move`, which copy and move an object to another key, optionally in
 * another bucket.
 */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { parseMetadataHeader } from '../core/user-metadata.ts';
import { StorageError } from '../errors.ts';
import { checkTarget, requireKey, requireMediaType } from '../object-limits.ts';
import { operations } from '../operations.ts';
import { findObject, findVersion, lockKey, moveObject, type ObjectRow, viewOf } from '../queries/objects.ts';
import { withCurrentObject } from '../readable-object.ts';
import { openScope } from '../scope.ts';
import { copyObject } from '../write-object.ts';
import { authorizationHeader } from './schemas.ts';

interface CopyBody {
  bucketId: string;
  sourceKey: string;
  destinationBucket?: string;
  destinationKey: string;
  metadata?: { cacheControl?: string; mimetype?: string };
  copyMetadata?: boolean;
}

export function copyRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.post<{ Body: CopyBody }>(
    '/object/copy',
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
            metadata: {
              type: 'object',
              properties: { cacheControl: { type: 'string' }, mimetype: { type: 'string' } },
            },
            copyMetadata: { type: 'boolean' },
          },
          required: ['sourceKey', 'bucketId', 'destinationKey'],
        },
      },
    },
    async (request) => {
      const scope = openScope(ctx, request, operations.copyObject);
      const { bucketId: sourceBucket, sourceKey, destinationKey, copyMetadata = true } = request.body;
      requireKey(destinationKey);
      const chosen = copyMetadata ? {} : chosenFields(request.body.metadata ?? {});
      if (chosen.mimetype !== undefined) requireMediaType(chosen.mimetype);
      const bucketId = request.body.destinationBucket || sourceBucket;
      const metadataHeader = request.headers['x-metadata'];
      const find = async (): Promise<ObjectRow> => {
        const source = await scope.asUser((tx) => findObject(tx, sourceBucket, sourceKey));
        if (!source) throw new StorageError('NoSuchKey');
        return source;
      };
      const row = await withCurrentObject(find, async (source) => {
        const metadata = { ...source.metadata, ...chosen };
        const target = { bucketId, key: destinationKey };
        return copyObject(ctx, scope, {
          ...(await checkTarget(ctx, scope, target, { source, metadata })),
          source,
          owner: scope.owner,
          upsert: request.headers['x-upsert'] === 'true',
          metadata,
          userMetadata: copyMetadata
            ? source.user_metadata
            : parseMetadataHeader(typeof metadataHeader === 'string' ? metadataHeader : undefined),
        });
      });
      return { Id: row.id, Key: `${row.bucket_id}/${row.name}`, ...viewOf(row) };
    },
  );
}

/**
 * Returns the metadata fields that a client can set on a copy. All other fields describe the bytes, so clients can't
 * set them.
 */
function chosenFields({ cacheControl, mimetype }: NonNullable<CopyBody['metadata']>): Record<string, string> {
  return {
    ...(cacheControl === undefined ? {} : { cacheControl }),
    ...(mimetype === undefined ? {} : { mimetype }),
  };
}

interface MoveBody {
  bucketId: string;
  sourceKey: string;
  destinationBucket?: string;
  destinationKey: string;
}

/** Moving an object doesn't copy its bytes. */
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
      const target = { bucketId: move.toBucketId, key: destinationKey };
      await checkTarget(ctx, scope, target, { source, metadata: source.metadata });
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
