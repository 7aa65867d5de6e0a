/** Implements the S3 operations GetObject, HeadObject and GetObjectTagging. */

import { parseMediaType } from '../../../../base/shared/http/media-type.ts';
import { isNotModified, isPreconditionFailed, isRangeCurrent } from '../../core/conditions.ts';
import { documentPolicy, isHeaderText } from '../../core/object-headers.ts';
import { parseRange } from '../../core/range.ts';
import { BytesMissingError, StorageError } from '../../errors.ts';
import { findObject, type ObjectRow } from '../../queries/objects.ts';
import { withCurrentObject } from '../../readable-object.ts';
import { checksumHeaders } from '../core/object-checksum.ts';
import { writeXml } from '../core/xml.ts';
import { S3Error } from '../errors.ts';
import { checksumOf, describeObject, requireBucket, type S3Call, type S3Response } from '../operation.ts';
import { header, type S3Request } from '../request.ts';

/** The response headers that a signed request can override, with the request parameter for each header. */
const overrides: readonly (readonly [parameter: string, header: string])[] = [
  ['response-cache-control', 'cache-control'],
  ['response-content-disposition', 'content-disposition'],
  ['response-content-encoding', 'content-encoding'],
  ['response-content-language', 'content-language'],
  ['response-content-type', 'content-type'],
  ['response-expires', 'expires'],
];

/** Returns the object if the caller's policies allow it. @throws {StorageError} NoSuchBucket, NoSuchKey */
export async function requireObject(call: S3Call): Promise<ObjectRow> {
  const { scope, request } = call;
  const object = await findObject(scope.eachAsUser(), request.bucket, request.key);
  if (object) return object;
  await requireBucket(call);
  throw new StorageError('NoSuchKey');
}

export function getObject(call: S3Call): Promise<S3Response> {
  return withCurrentObject(
    () => requireObject(call),
    (object) => objectResponse(call, object),
  );
}

async function objectResponse(call: S3Call, object: ObjectRow): Promise<S3Response> {
  const { service: ctx, request } = call;
  const current = describeObject(object);
  const chosen = chosenHeaders(request);
  const { headers } = current;
  if (isPreconditionFailed(request.headers, current)) throw new S3Error('PreconditionFailed');
  if (isNotModified(request.headers, current)) return { status: 304, headers };

  const body = await ctx.backend.open(object.version ?? '');
  if (!body) throw new BytesMissingError();
  try {
    const requested = isRangeCurrent(request.headers, current) ? header(request, 'range') : undefined;
    const range = parseRange(requested, body.sizeBytes);
    if (range === 'unsatisfiable') {
      request.reply.header('content-range', `bytes */${body.sizeBytes}`);
      throw new StorageError('InvalidRange', 'The requested range is not satisfiable');
    }
    const response = { ...headers, ...chosen };
    if (!range) {
      const checksum = await checksumFor(call, object);
      const whole = { ...response, ...checksum, 'content-length': body.sizeBytes };
      return { headers: whole, body: await body.read() };
    }
    const { start, end } = range;
    const partial = {
      ...response,
      'content-length': end - start + 1,
      'content-range': `bytes ${start}-${end}/${body.sizeBytes}`,
    };
    return { status: 206, headers: partial, body: await body.read(range) };
  } catch (error) {
    await body.close();
    throw error;
  }
}

export async function headObject(call: S3Call): Promise<S3Response> {
  const { request } = call;
  const object = await requireObject(call);
  const current = describeObject(object);
  const { headers, metadata } = current;
  if (isPreconditionFailed(request.headers, current)) throw new S3Error('PreconditionFailed');
  if (isNotModified(request.headers, current)) return { status: 304, headers };
  const sizeBytes = metadata.contentLength ?? metadata.size ?? 0;
  const range = parseRange(header(request, 'range'), sizeBytes);
  if (range === 'unsatisfiable') throw new StorageError('InvalidRange');
  const response = { ...headers, ...chosenHeaders(request) };
  if (!range)
    return { headers: { ...response, ...(await checksumFor(call, object)), 'content-length': sizeBytes } };
  const { start, end } = range;
  return {
    status: 206,
    headers: {
      ...response,
      'content-length': end - start + 1,
      'content-range': `bytes ${start}-${end}/${sizeBytes}`,
    },
  };
}

/**
 * Returns the checksum of the whole object. The response to a range request doesn't contain a checksum, because clients
 * would compare it with only the received bytes.
 */
async function checksumFor(call: S3Call, object: ObjectRow): Promise<Record<string, string>> {
  if (header(call.request, 'x-amz-checksum-mode')?.toUpperCase() !== 'ENABLED') return {};
  const checksum = await checksumOf(call, object);
  return checksum ? checksumHeaders(checksum) : {};
}

/** Returns an empty list, because objects don't have tags. */
export async function getObjectTagging(call: S3Call): Promise<S3Response> {
  await requireObject(call);
  return { xml: writeXml('Tagging', { TagSet: '' }) };
}

function chosenHeaders(request: S3Request): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const [parameter, name] of overrides) {
    const value = request.param(parameter);
    if (value === undefined) continue;
    if (!isHeaderText(value)) throw new S3Error('InvalidArgument', `${parameter} can't be sent in a header`);
    chosen[name] = value;
  }
  const type = chosen['content-type'];
  if (type === undefined) return chosen;
  if (parseMediaType(type) === undefined)
    throw new S3Error('InvalidArgument', 'response-content-type is not a media type');
  return { ...chosen, ...documentPolicy(type) };
}
