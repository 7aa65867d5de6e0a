/** Declares the routes below `/bucket`, which create, list, get, update, delete and empty buckets. */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import { isValidMimePattern, parseFileSize } from '../core/limits.ts';
import { isValidBucketName, isValidNewBucketName } from '../core/names.ts';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import {
  type BucketChanges,
  type BucketListOptions,
  countObjects,
  deleteBucket,
  findBucket,
  insertBucket,
  listBuckets,
  updateBucket,
} from '../queries/buckets.ts';
import { emptyBucket } from '../removals.ts';
import { openScope, requireServiceRole } from '../scope.ts';
import { authorizationHeader } from './schemas.ts';

const fileSizeLimit = {
  anyOf: [
    { type: 'integer', nullable: true, minimum: 0 },
    { type: 'string', nullable: true, pattern: '^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$' },
  ],
};

/** The options that clients can set when they create or change a bucket. */
interface BucketOptions {
  public?: boolean;
  file_size_limit?: number | string | null;
  allowed_mime_types?: string[] | null;
}

const optionSchemas: Readonly<Record<keyof BucketOptions, object>> = {
  public: { type: 'boolean' },
  file_size_limit: fileSizeLimit,
  allowed_mime_types: { type: 'array', nullable: true, items: { type: 'string' } },
};

const { public: publicSchema, ...otherOptionSchemas } = optionSchemas;

const newBucketSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    id: { type: 'string' },
    // The error names the first invalid field, so the fields are in upstream's order.
    public: publicSchema,
    type: { type: 'string', enum: ['STANDARD', 'ANALYTICS'] },
    ...otherOptionSchemas,
  },
  required: ['name'],
};

const bucketListSchema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1 },
    offset: { type: 'integer', minimum: 0 },
    sortColumn: { type: 'string', enum: ['id', 'name', 'created_at', 'updated_at'] },
    sortOrder: { type: 'string', enum: ['asc', 'desc'] },
    search: { type: 'string' },
  },
};

const bucketChangesSchema = {
  type: 'object',
  minProperties: 1,
  properties: optionSchemas,
  anyOf: Object.keys(optionSchemas).map((name) => ({ required: [name] })),
};

interface NewBucketBody extends BucketOptions {
  name: string;
  id?: string;
  type?: 'STANDARD' | 'ANALYTICS';
}

interface BucketIdParams {
  bucketId: string;
}

export function bucketRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.post<{ Body: NewBucketBody }>(
    '/bucket',
    {
      schema: {
        headers: authorizationHeader,
        body: newBucketSchema,
      },
    },
    async (request) => {
      const { name, id, type } = request.body;
      const scope = openScope(ctx, request, operations.createBucket);
      if (!isValidNewBucketName(name)) throw new StorageError('InvalidBucketName');
      if (id !== undefined && id !== '' && !isValidBucketName(id))
        throw new StorageError('InvalidBucketName');
      if (type === 'ANALYTICS') {
        throw new StorageError(
          'FeatureNotEnabled',
          'The feature Iceberg buckets are not enabled for this tenant is not enabled for this resource',
        );
      }
      const bucket = {
        id: id || name,
        name,
        ...changesOf(ctx, request.body),
        public: request.body.public ?? false,
        ...scope.owner,
      };
      try {
        await scope.asUser((tx) => insertBucket(tx, bucket));
      } catch (error) {
        if (error instanceof StorageError && error.entry === 'ResourceAlreadyExists') {
          throw new StorageError('BucketAlreadyExists', undefined, { cause: error });
        }
        throw error;
      }
      return { name };
    },
  );

  app.get<{ Querystring: Omit<BucketListOptions, 'withType'> }>(
    '/bucket',
    {
      schema: {
        headers: authorizationHeader,
        querystring: bucketListSchema,
      },
    },
    async (request) => {
      const scope = openScope(ctx, request, operations.listBuckets);
      if (request.query.search?.includes('\0')) return [];
      const withType = !predatesBucketType(request.headers['x-client-info'], request.headers['user-agent']);
      return scope.asUser((tx) => listBuckets(tx, { ...request.query, withType }));
    },
  );

  app.get<{ Params: BucketIdParams }>(
    '/bucket/:bucketId',
    { schema: { headers: authorizationHeader }, exposeHeadRoute: true },
    async (request) => {
      const scope = openScope(ctx, request, operations.getBucket);
      const bucketId = knownName(request.params.bucketId);
      const bucket = await scope.asUser((tx) => findBucket(tx, bucketId));
      if (!bucket) throw new StorageError('NoSuchBucket');
      return bucket;
    },
  );

  app.put<{ Params: BucketIdParams; Body: BucketOptions }>(
    '/bucket/:bucketId',
    {
      schema: {
        headers: authorizationHeader,
        body: bucketChangesSchema,
      },
    },
    async (request) => {
      const scope = openScope(ctx, request, operations.updateBucket);
      const { bucketId } = request.params;
      if (!isValidBucketName(bucketId)) throw new StorageError('InvalidBucketName');
      const changes = changesOf(ctx, request.body);
      const found = await scope.asUser((tx) => updateBucket(tx, bucketId, changes));
      if (!found) throw new StorageError('NoSuchBucket');
      return { message: 'Successfully updated' };
    },
  );

  app.delete<{ Params: BucketIdParams }>(
    '/bucket/:bucketId',
    { schema: { headers: authorizationHeader }, config: { emptyBody: true } },
    async (request) => {
      const scope = openScope(ctx, request, operations.deleteBucket);
      const bucketId = knownName(request.params.bucketId);
      const objects = await scope.asService((tx) => countObjects(tx, bucketId, 1), { readOnly: true });
      if (objects === undefined) throw new StorageError('NoSuchBucket');
      if (objects > 0) throw new StorageError('BucketNotEmpty');
      const deleted = await scope.asUser((tx) => deleteBucket(tx, bucketId));
      if (!deleted) throw new StorageError('NoSuchBucket');
      return { message: 'Successfully deleted' };
    },
  );

  app.post<{ Params: BucketIdParams }>(
    '/bucket/:bucketId/empty',
    { schema: { headers: authorizationHeader }, config: { emptyBody: true } },
    async (request) => {
      const scope = openScope(ctx, request, operations.emptyBucket);
      requireServiceRole(scope);
      await emptyBucket(ctx, scope, knownName(request.params.bucketId));
      return { message: 'Empty bucket has been queued. Completion may take up to an hour.' };
    },
  );
}

/** Returns the name, or throws NoSuchBucket if no bucket can have this name. */
function knownName(bucketId: string): string {
  if (bucketId.includes('\0')) throw new StorageError('NoSuchBucket');
  return bucketId;
}

/** Parses the options. @throws {StorageError} InvalidMimeType, InvalidFileSizeLimit, EntityTooLarge */
function changesOf(ctx: StorageContext, body: BucketOptions): BucketChanges {
  const mimeTypes = body.allowed_mime_types?.filter((type) => type !== '') ?? body.allowed_mime_types;
  const rejected = mimeTypes?.find((type) => !isValidMimePattern(type));
  if (rejected !== undefined)
    throw new StorageError('InvalidMimeType', `mime type ${rejected} is not supported`);
  return {
    public: body.public,
    fileSizeLimit: sizeLimitOf(ctx, body.file_size_limit),
    allowedMimeTypes: mimeTypes,
  };
}

function sizeLimitOf(
  ctx: StorageContext,
  limit: BucketOptions['file_size_limit'],
): number | null | undefined {
  if (limit === null || limit === undefined) return limit;
  const bytes = typeof limit === 'string' ? parseFileSize(limit) : limit;
  if (bytes === undefined) throw new StorageError('InvalidFileSizeLimit');
  if (bytes > ctx.fileSizeLimitBytes) throw new StorageError('EntityTooLarge');
  return bytes;
}

/**
 * Whether the client fails if a bucket has a `type` field, as Python clients before storage3 0.12.1 (supabase 2.18.0)
 * do.
 */
export function predatesBucketType(
  clientInfo: string | string[] | undefined,
  userAgent: string | undefined,
): boolean {
  const info = typeof clientInfo === 'string' ? clientInfo : '';
  return (
    isBefore(/supabase-py\/(\d+)\.(\d+)\.(\d+)/i.exec(info), [2, 18, 0]) ||
    isBefore(/supabase-py\/storage3 v(\d+)\.(\d+)\.(\d+)/i.exec(userAgent ?? ''), [0, 12, 1])
  );
}

function isBefore(match: RegExpExecArray | null, version: readonly number[]): boolean {
  if (!match) return false;
  for (const [index, requested] of version.entries()) {
    const found = Number(match[index + 1]);
    if (found !== requested) return found < requested;
  }
  return false;
}
