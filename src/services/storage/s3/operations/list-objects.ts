/**
 * Implements ListObjects and ListObjectsV2, which return pages of keys in byte order. Keys can be grouped by any
 * delimiter.
 */
import { decodeCursor, encodeCursor } from '../../core/cursor.ts';
import { readObjectMetadata } from '../../core/object-headers.ts';
import { type ListedLine, listByDelimiter, listKeys, readLines } from '../../queries/listing.ts';
import { encodeListedKey } from '../core/encoding.ts';
import { writeXml, type XmlContent } from '../core/xml.ts';
import { S3Error } from '../errors.ts';
import { requireBucket, type S3Call, type S3Response } from '../operation.ts';
import { numberParam, onlyVersion, type S3Request } from '../request.ts';

/** The default page size, which is also S3's maximum. */
const defaultKeys = 1000;
const manyKeys = 2_147_483_647;

export async function listObjectsV2(call: S3Call): Promise<S3Response> {
  const { request } = call;
  const token = request.param('continuation-token');
  const startAfter = request.param('start-after') ?? '';
  const cursor = token === undefined ? undefined : decodeCursor(token);
  if (token !== undefined && !cursor)
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
  const page = await listPage(call, cursor?.startAfter ?? startAfter);
  const last = page.nextAfter;
  return {
    xml: writeXml('ListBucketResult', {
      ...page.common,
      ContinuationToken: token,
      StartAfter: startAfter === '' ? undefined : page.encode(startAfter),
      KeyCount: page.count,
      IsTruncated: last !== undefined,
      NextContinuationToken: last === undefined ? undefined : encodeCursor({ startAfter: last }),
      ...page.lines,
    }),
  };
}

export async function listObjects(call: S3Call): Promise<S3Response> {
  const marker = call.request.param('marker') ?? '';
  const page = await listPage(call, marker);
  const last = page.nextAfter;
  return {
    xml: writeXml('ListBucketResult', {
      ...page.common,
      Marker: page.encode(marker),
      IsTruncated: last !== undefined,
      // According to S3's documentation, clients that don't use a delimiter continue after the last key, so the marker
      // is omitted for them.
      NextMarker: last === undefined || page.delimiter === '' ? undefined : page.encode(last),
      ...page.lines,
    }),
  };
}

/**
 * Lists the object versions. Each object has a single version, which S3 calls `null`. rclone needs this operation,
 * because it deletes objects by version.
 */
export async function listObjectVersions(call: S3Call): Promise<S3Response> {
  const marker = call.request.param('key-marker') ?? '';
  const { common, lines, nextAfter: last, encode } = await listPage(call, marker);
  const versions = lines.Contents.map((contents) => ({
    ...contents,
    VersionId: onlyVersion,
    IsLatest: true,
  }));
  return {
    xml: writeXml('ListVersionsResult', {
      ...common,
      KeyMarker: encode(marker),
      VersionIdMarker: call.request.param('version-id-marker') ?? '',
      IsTruncated: last !== undefined,
      NextKeyMarker: last === undefined ? undefined : encode(last),
      NextVersionIdMarker: last === undefined ? undefined : onlyVersion,
      Version: versions,
      CommonPrefixes: lines.CommonPrefixes,
    }),
  };
}

interface Page {
  readonly common: Readonly<Record<string, XmlContent>>;
  readonly lines: {
    readonly Contents: readonly Readonly<Record<string, XmlContent>>[];
    readonly CommonPrefixes: readonly XmlContent[];
  };
  readonly delimiter: string;
  readonly count: number;
  /** The last key or common prefix on the page, after which the next page begins. Undefined on the last page. */
  readonly nextAfter: string | undefined;
  encode(key: string): string;
}

async function listPage(call: S3Call, after: string): Promise<Page> {
  const { request, scope } = call;
  const prefix = request.param('prefix') ?? '';
  const delimiter = request.param('delimiter') ?? '';
  const encoding = encodingOf(request);
  const encode = encoding === 'url' ? encodeListedKey : (key: string) => key;
  const maxKeys = Math.min(
    numberParam(request, 'max-keys', { min: 0, max: manyKeys, fallback: defaultKeys }),
    defaultKeys,
  );
  await requireBucket(call);
  if (`${prefix}${delimiter}${after}`.includes('\0')) throw new S3Error('InvalidArgument');

  // One extra line is queried to determine whether there is another page.
  const options = { prefix, limit: maxKeys + 1, startAfter: after };
  const found = await readLines(
    scope.eachAsUser(),
    delimiter === ''
      ? listKeys(request.bucket, { ...options, column: 'name', order: 'asc', columnAfter: undefined })
      : listByDelimiter(request.bucket, delimiter, options),
  );
  const shown = found.slice(0, maxKeys);
  const last = found.length > maxKeys && maxKeys > 0 ? shown.at(-1) : undefined;
  return {
    delimiter,
    encode,
    count: shown.length,
    nextAfter: last && pathOf(last, delimiter),
    common: {
      Name: request.bucket,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      MaxKeys: maxKeys,
      EncodingType: encoding,
    },
    lines: {
      Contents: shown.filter(({ id }) => id !== null).map((line) => contentsOf(line, encode)),
      CommonPrefixes: shown
        .filter(({ id }) => id === null)
        .map((line) => ({ Prefix: encode(pathOf(line, delimiter)) })),
    },
  };
}

/** Returns the key encoding that the client requests. @throws {S3Error} InvalidArgument */
export function encodingOf(request: S3Request): 'url' | undefined {
  const type = request.param('encoding-type');
  if (type === undefined || type === '') return undefined;
  if (type === 'url') return type;
  throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
}

/**
 * Returns the key or common prefix of a line. The query returns common prefixes without the delimiter, so the delimiter
 * is added.
 */
function pathOf(line: ListedLine, delimiter: string): string {
  return line.id === null ? `${line.name}${delimiter}` : line.name;
}

function contentsOf(line: ListedLine, encode: (key: string) => string): Readonly<Record<string, XmlContent>> {
  const metadata = readObjectMetadata(line.metadata);
  return {
    Key: encode(line.name),
    LastModified: line.updated_at ?? undefined,
    ETag: metadata.eTag,
    Size: metadata.size ?? 0,
    StorageClass: 'STANDARD',
  };
}
