/** Converts between object metadata and S3 headers (`x-amz-meta-*` and standard HTTP headers). */
import type { IncomingHttpHeaders } from 'node:http';
import {
  documentPolicy,
  isHeaderText,
  type ObjectMetadata,
  parseDate,
  readObjectMetadata,
  storedContentType,
} from '../core/object-headers.ts';
import type { ObjectRow } from '../queries/objects.ts';

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

export interface ObjectHead {
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
