/** Defines the input and output of an S3 operation. */

import type { ByteStream } from '../byte-stream.ts';
import type { StorageContext } from '../context.ts';
import { StorageError } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { findBucketLimits } from '../queries/buckets.ts';
import type { Scope } from '../scope.ts';
import type { Authenticated } from './authenticate.ts';
import type { S3Request } from './request.ts';

export interface S3Call {
  readonly service: StorageContext;
  readonly scope: Scope;
  readonly auth: Authenticated;
  readonly request: S3Request;
}

export interface S3Response {
  /** The HTTP status. Defaults to 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number | undefined>>;
  readonly xml?: string;
  readonly body?: Buffer | ByteStream;
}

export interface S3Operation {
  /** The name of the operation, to which policies have access. */
  readonly operation: Operation;
  run(call: S3Call): Promise<S3Response>;
}

/** Checks that the bucket exists. @throws {StorageError} NoSuchBucket */
export async function requireBucket({ scope, request }: S3Call): Promise<void> {
  const found = await scope.asService((tx) => findBucketLimits(tx, request.bucket), { readOnly: true });
  if (!found) throw new StorageError('NoSuchBucket');
}
