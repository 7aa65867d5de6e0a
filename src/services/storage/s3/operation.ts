/**
 * Defines the input and output of an S3 operation, and provides what several operations use: the S3 headers of an object
 * (`x-amz-meta-*` and standard HTTP headers), preconditions, bytes and checksums.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { ByteStream } from '../byte-stream.ts';
import type { StorageContext } from '../context.ts';
import { isNotModified, isPreconditionFailed } from '../core/conditions.ts';
import { isUuid } from '../core/names.ts';
import {
  documentPolicy,
  isHeaderText,
  type ObjectMetadata,
  parseDate,
  readObjectMetadata,
  storedContentType,
} from '../core/object-headers.ts';
import type { ByteRange } from '../core/range.ts';
import { BytesMissingError, StorageError } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { findBucketLimits } from '../queries/buckets.ts';
import { findChecksum } from '../queries/checksums.ts';
import type { ObjectRow } from '../queries/objects.ts';
import type { Scope } from '../scope.ts';
import type { WriteConditions } from '../write-object.ts';
import type { Authenticated } from './authenticate.ts';
import { type ObjectChecksum, readChecksum } from './core/object-checksum.ts';
import { S3Error } from './errors.ts';
import { header, type S3Request } from './request.ts';

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

const prefix = 'x-amz-meta-';

/** Returns the user metadata from a request's headers or a form's fields. */
export function userMetadataOf(
  headers: Iterable<readonly [name: string, value: unknown]>,
): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [name, value] of headers)
    if (name.startsWith(prefix) && typeof value === 'string')
      Object.defineProperty(metadata, name.slice(prefix.length), { value, enumerable: true });
  return metadata;
}

export function headersOf(headers: IncomingHttpHeaders): Iterable<readonly [string, unknown]> {
  return Object.entries(headers);
}

interface ObjectHead {
  readonly etag: string | undefined;
  readonly lastModified: Date | undefined;
  readonly metadata: ObjectMetadata;
  readonly headers: Record<string, string | number | undefined>;
}

/** Returns the response headers of GET and HEAD, except for the length. */
export function describeObject(object: ObjectRow): ObjectHead {
  const metadata = readObjectMetadata(object.metadata);
  const lastModified = parseDate(metadata.lastModified ?? object.updated_at ?? undefined);
  const contentType = storedContentType(metadata);
  return {
    etag: metadata.eTag,
    lastModified,
    metadata,
    headers: {
      'accept-ranges': 'bytes',
      'content-type': contentType,
      etag: metadata.eTag,
      'last-modified': lastModified?.toUTCString(),
      'cache-control':
        metadata.cacheControl && isHeaderText(metadata.cacheControl) ? metadata.cacheControl : undefined,
      ...userMetadataHeaders(object.user_metadata),
      ...documentPolicy(contentType),
    },
  };
}

/**
 * Returns the user metadata as headers. As in S3, `x-amz-missing-meta` is the number of values that headers can't
 * contain.
 */
function userMetadataHeaders(metadata: Record<string, unknown> | null): Record<string, string | number> {
  const headers: Record<string, string | number> = {};
  let missing = 0;
  for (const [name, value] of Object.entries(metadata ?? {})) {
    const isToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
    if (isToken && typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value))
      headers[`${prefix}${name.toLowerCase()}`] = value;
    else missing += 1;
  }
  return missing === 0 ? headers : { ...headers, 'x-amz-missing-meta': missing };
}

/**
 * Returns the conditions for a write. `If-None-Match: *` requires a new key, and `If-Match` requires the current
 * version. S3's conditional writes don't support any other value of `If-None-Match`.
 *
 * @throws {S3Error} NotImplemented
 */
export function writeConditions(request: S3Request): WriteConditions {
  const noneMatch = header(request, 'if-none-match');
  if (noneMatch !== undefined && noneMatch.trim() !== '*')
    throw new S3Error('NotImplemented', 'If-None-Match must be * here');
  const match = header(request, 'if-match');
  const precondition = (current: ObjectRow | undefined): void => {
    const fails = !current || isPreconditionFailed({ 'if-match': match }, describeObject(current));
    if (fails) throw new S3Error('PreconditionFailed');
  };
  return { upsert: noneMatch === undefined, precondition: match === undefined ? undefined : precondition };
}

/** Checks the conditions for the source of a copy. @throws {S3Error} PreconditionFailed */
export function requireCopyConditions(request: S3Request, source: ObjectRow): void {
  const current = describeObject(source);
  const condition = (name: string): string | undefined => header(request, `x-amz-copy-source-${name}`);
  const requested = {
    'if-match': condition('if-match'),
    'if-unmodified-since': condition('if-unmodified-since'),
    'if-none-match': condition('if-none-match'),
    'if-modified-since': condition('if-modified-since'),
  };
  if (isPreconditionFailed(requested, current) || isNotModified(requested, current))
    throw new S3Error('PreconditionFailed');
}

/**
 * Reads a version's bytes. The body is opened on the first read, because otherwise it would stay open if the request is
 * rejected before that.
 * @throws {BytesMissingError}
 */
export async function* readVersion(
  ctx: StorageContext,
  version: string,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const body = await ctx.backend.open(version);
  if (!body) throw new BytesMissingError();
  const bytes = await body.read(range);
  if (Buffer.isBuffer(bytes)) yield bytes;
  else yield* bytes;
}

/** Returns the object's stored checksum, if a checksum is stored. */
export async function checksumOf(
  { service: ctx }: S3Call,
  { version }: ObjectRow,
): Promise<ObjectChecksum | undefined> {
  // SQL statements can write any text to the version column of a row.
  if (!ctx.hasOwnTables || !isUuid(version ?? '')) return undefined;
  const kept = await findChecksum(ctx.database.pool('supabase_admin'), version ?? '');
  return kept && readChecksum(kept);
}
