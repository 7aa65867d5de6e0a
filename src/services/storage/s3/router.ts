/** Selects the operation by the request's method, resource and subresource parameters. */
import { operations } from '../operations.ts';
import { S3Error } from './errors.ts';
import type { S3Operation } from './operation.ts';
import {
  createBucket,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listAllBuckets,
  removeBucket,
} from './operations/buckets.ts';
import { deleteObject, deleteObjects } from './operations/delete-objects.ts';
import { abortMultipart, completeMultipart } from './operations/end-multipart.ts';
import { listObjects, listObjectsV2, listObjectVersions } from './operations/list-objects.ts';
import { listMultipart, listParts } from './operations/list-uploads.ts';
import { createMultipart, uploadPart, uploadPartCopy } from './operations/multipart.ts';
import { getObject, getObjectTagging, headObject } from './operations/read-objects.ts';
import { copyObjectTo, putObject } from './operations/write-objects.ts';
import { header, onlyVersion, type S3Request } from './request.ts';

/**
 * S3 subresources that aren't supported. Requests for these subresources are rejected, because returning the whole
 * resource instead would be misleading.
 */
const unsupported = [
  'accelerate',
  'acl',
  'analytics',
  'attributes',
  'cors',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'torrent',
  'website',
];

const table = {
  ListBuckets: { operation: operations.s3ListBuckets, run: listAllBuckets },
  CreateBucket: { operation: operations.s3CreateBucket, run: createBucket },
  DeleteBucket: { operation: operations.s3DeleteBucket, run: removeBucket },
  HeadBucket: { operation: operations.s3HeadBucket, run: headBucket },
  GetBucketLocation: { operation: operations.s3GetBucketLocation, run: getBucketLocation },
  GetBucketVersioning: { operation: operations.s3GetBucketVersioning, run: getBucketVersioning },
  ListObjects: { operation: operations.s3ListObjects, run: listObjects },
  ListObjectsV2: { operation: operations.s3ListObjects, run: listObjectsV2 },
  ListObjectVersions: { operation: operations.s3ListObjects, run: listObjectVersions },
  ListMultipartUploads: { operation: operations.s3ListMultipart, run: listMultipart },
  DeleteObjects: { operation: operations.s3DeleteObjects, run: deleteObjects },
  GetObject: { operation: operations.s3GetObject, run: getObject },
  GetObjectTagging: { operation: operations.s3GetObjectTagging, run: getObjectTagging },
  HeadObject: { operation: operations.s3HeadObject, run: headObject },
  PutObject: { operation: operations.s3PutObject, run: putObject },
  CopyObject: { operation: operations.s3CopyObject, run: copyObjectTo },
  DeleteObject: { operation: operations.s3DeleteObject, run: deleteObject },
  CreateMultipartUpload: { operation: operations.s3CreateMultipart, run: createMultipart },
  UploadPart: { operation: operations.s3UploadPart, run: uploadPart },
  UploadPartCopy: { operation: operations.s3UploadPartCopy, run: uploadPartCopy },
  CompleteMultipartUpload: { operation: operations.s3CompleteMultipart, run: completeMultipart },
  AbortMultipartUpload: { operation: operations.s3AbortMultipart, run: abortMultipart },
  ListParts: { operation: operations.s3ListParts, run: listParts },
} satisfies Record<string, S3Operation>;

/** Returns the operation for a request. @throws {S3Error} NotImplemented, MethodNotAllowed */
export function chooseOperation(request: S3Request): S3Operation {
  const missing = unsupported.find((name) => request.param(name) !== undefined);
  if (missing !== undefined) throw new S3Error('NotImplemented', `${missing} isn't supported`);
  if ((request.param('versionId') ?? onlyVersion) !== onlyVersion)
    throw new S3Error('InvalidArgument', 'Invalid version id specified');
  const name =
    request.bucket === '' ? ofService(request) : request.key === '' ? ofBucket(request) : ofObject(request);
  if (!name) throw new S3Error('MethodNotAllowed');
  return table[name];
}

type Name = keyof typeof table;

function ofService({ method }: S3Request): Name | undefined {
  return method === 'GET' ? 'ListBuckets' : undefined;
}

function ofBucket(request: S3Request): Name | undefined {
  const has = (name: string): boolean => request.param(name) !== undefined;
  if (has('tagging')) throw new S3Error('NotImplemented', "Bucket tags aren't supported");
  switch (request.method) {
    case 'PUT':
      if (has('versioning')) throw new S3Error('NotImplemented', "Object versions aren't supported");
      return 'CreateBucket';
    case 'DELETE':
      return 'DeleteBucket';
    case 'HEAD':
      return 'HeadBucket';
    case 'POST':
      return has('delete') ? 'DeleteObjects' : undefined;
    case 'GET':
      if (has('location')) return 'GetBucketLocation';
      if (has('versioning')) return 'GetBucketVersioning';
      if (has('uploads')) return 'ListMultipartUploads';
      if (has('versions')) return 'ListObjectVersions';
      return request.param('list-type') === '2' ? 'ListObjectsV2' : 'ListObjects';
    default:
      return undefined;
  }
}

function ofObject(request: S3Request): Name | undefined {
  const has = (name: string): boolean => request.param(name) !== undefined;
  const copies = header(request, 'x-amz-copy-source') !== undefined;
  // The parts of a completed upload aren't kept, and the whole object would be mistaken for the part.
  if ((request.method === 'GET' || request.method === 'HEAD') && has('partNumber'))
    throw new S3Error('NotImplemented', "partNumber isn't supported");
  switch (request.method) {
    case 'GET':
      if (has('tagging')) return 'GetObjectTagging';
      return has('uploadId') ? 'ListParts' : 'GetObject';
    case 'HEAD':
      return 'HeadObject';
    case 'PUT':
      if (has('tagging')) throw new S3Error('NotImplemented', "Object tags aren't supported");
      if (has('uploadId')) return copies ? 'UploadPartCopy' : 'UploadPart';
      return copies ? 'CopyObject' : 'PutObject';
    case 'POST':
      if (has('uploads')) return 'CreateMultipartUpload';
      return has('uploadId') ? 'CompleteMultipartUpload' : undefined;
    case 'DELETE':
      if (has('tagging')) throw new S3Error('NotImplemented', "Object tags aren't supported");
      return has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
    default:
      return undefined;
  }
}
