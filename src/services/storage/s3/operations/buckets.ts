/** Implements the operations on buckets. */
import { isValidNewBucketName } from '../../core/names.ts';
import { StorageError } from '../../errors.ts';
import { countObjects, deleteBucket, findBucket, insertBucket, listBuckets } from '../../queries/buckets.ts';
import { writeXml } from '../core/xml.ts';
import type { S3Call, S3Response } from '../operation.ts';
import { header } from '../request.ts';

export async function listAllBuckets({ scope }: S3Call): Promise<S3Response> {
  const buckets = await scope.asUser((tx) => listBuckets(tx, { sortColumn: 'name', withType: false }));
  return {
    xml: writeXml('ListAllMyBucketsResult', {
      Owner: { ID: scope.owner.ownerId ?? scope.role },
      Buckets: {
        Bucket: buckets.map((bucket) => ({
          Name: bucket.name,
          CreationDate: bucket.created_at ?? undefined,
        })),
      },
    }),
  };
}

/** Creates a bucket. The requested location is ignored, because Plinth has only one location. */
export async function createBucket({ scope, request }: S3Call): Promise<S3Response> {
  const name = request.bucket;
  request.fastify.raw.resume();
  if (!isValidNewBucketName(name)) throw new StorageError('InvalidBucketName');
  const isPublic = header(request, 'x-amz-acl') === 'public-read';
  try {
    await scope.asUser((tx) => insertBucket(tx, { id: name, name, public: isPublic, ...scope.owner }));
  } catch (error) {
    if (error instanceof StorageError && error.entry === 'ResourceAlreadyExists')
      throw new StorageError('BucketAlreadyExists', undefined, { cause: error });
    throw error;
  }
  return { headers: { location: `/${name}` } };
}

export async function removeBucket({ scope, request }: S3Call): Promise<S3Response> {
  const objects = await scope.asService((tx) => countObjects(tx, request.bucket, 1), { readOnly: true });
  if (objects === undefined) throw new StorageError('NoSuchBucket');
  if (objects > 0) throw new StorageError('BucketNotEmpty');
  const deleted = await scope.asUser((tx) => deleteBucket(tx, request.bucket));
  if (!deleted) throw new StorageError('NoSuchBucket');
  return { status: 204 };
}

export async function headBucket(call: S3Call): Promise<S3Response> {
  await requireVisibleBucket(call);
  return { headers: { 'x-amz-bucket-region': call.service.keys.s3.region } };
}

export async function getBucketLocation(call: S3Call): Promise<S3Response> {
  await requireVisibleBucket(call);
  return { xml: writeXml('LocationConstraint', call.service.keys.s3.region) };
}

/**
 * Reports that versioning is suspended. Upstream's tables have columns for versioning, but upstream doesn't implement
 * it yet.
 */
export async function getBucketVersioning(call: S3Call): Promise<S3Response> {
  await requireVisibleBucket(call);
  return { xml: writeXml('VersioningConfiguration', { Status: 'Suspended', MfaDelete: 'Disabled' }) };
}

async function requireVisibleBucket({ scope, request }: S3Call): Promise<void> {
  const bucket = await scope.asUser((tx) => findBucket(tx, request.bucket));
  if (!bucket) throw new StorageError('NoSuchBucket');
}
