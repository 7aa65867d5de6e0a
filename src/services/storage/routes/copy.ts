/** Declares `POST /object/copy`, which copies an object to another key, optionally in another bucket. */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { copyObject } from '../copies.ts';
import { parseMetadataHeader } from '../core/user-metadata.ts';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import { findObject, type ObjectRow, viewOf } from '../queries/objects.ts';
import { withCurrentObject } from '../readable-object.ts';
import { openScope } from '../scope.ts';
import { requireFits, requireKey, requireMediaType } from '../uploads.ts';
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
        if (bucketId !== sourceBucket || metadata.mimetype !== source.metadata?.mimetype)
          await requireFits(ctx, scope, { bucketId, key: destinationKey }, metadata);
        return copyObject(ctx, scope, {
          source,
          bucketId,
          key: destinationKey,
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
