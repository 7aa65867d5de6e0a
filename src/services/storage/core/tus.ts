/**
 * Parses and formats the headers and upload URLs of the TUS protocol 1.0.0
 * (https://tus.io/protocols/resumable-upload).
 */
export const tusVersion = '1.0.0';

/** The names and values in the header `Upload-Metadata`. If a key has no value, the value is null. */
export type TusMetadata = Readonly<Record<string, string | null>>;

const base64Pattern = /^[\d+/A-Za-z]*={0,2}$/;

/**
 * Parses the header. Returns undefined if the header doesn't contain unique ASCII keys without spaces, each with an
 * optional base64 value (section "Upload-Metadata").
 *
 * @example
 * parseTusMetadata('bucketName cGhvdG9z,is_draft'); // { bucketName: 'photos', is_draft: null }
 */
export function parseTusMetadata(header: string): TusMetadata | undefined {
  const found = new Map<string, string | null>();
  for (const pair of header.split(',')) {
    const [key = '', value, more] = pair.split(' ');
    if (more !== undefined || !/^[\x21-\x2b\x2d-\x7f]+$/.test(key) || found.has(key)) return undefined;
    if (value === undefined || value === '') found.set(key, null);
    else if (value.length % 4 === 0 && base64Pattern.test(value))
      found.set(key, Buffer.from(value, 'base64').toString('utf8'));
    else return undefined;
  }
  return Object.fromEntries(found);
}

export function printTusMetadata(metadata: TusMetadata): string {
  return Object.entries(metadata)
    .map(([key, value]) => (value === null ? key : `${key} ${Buffer.from(value, 'utf8').toString('base64')}`))
    .join(',');
}

/** Parses the byte count of `Upload-Length` or `Upload-Offset`. Returns undefined if the byte count is invalid. */
export function parseByteCount(header: string): number | undefined {
  const count = Number(header);
  return /^(?:0|[1-9]\d*)$/.test(header) && Number.isSafeInteger(count) ? count : undefined;
}

/** Returns the Cache-Control value for a number of seconds. As in upstream, any other text disables caching. */
export function tusCacheControl(field: string | null | undefined): string {
  return typeof field === 'string' && /^-?\d+$/.test(field) ? `max-age=${field}` : 'no-cache';
}

/**
 * The last part of an upload's URL: base64url of `bucket/key/id`, as in upstream. The server finds the upload by its ID,
 * which it has generated. The bucket and the key in the URL must match the stored upload.
 */
export interface UploadId {
  readonly bucketId: string;
  readonly key: string;
  /** The upload's ID, which is a UUID. */
  readonly id: string;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function printUploadId({ bucketId, key, id }: UploadId): string {
  return Buffer.from(`${bucketId}/${key}/${id}`, 'utf8').toString('base64url');
}

/** Parses the last part of an upload's URL. Returns undefined if this server can't have issued the URL. */
export function parseUploadId(text: string): UploadId | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  const path = Buffer.from(text, 'base64url').toString('utf8');
  const afterBucket = path.indexOf('/');
  const beforeId = path.lastIndexOf('/');
  if (afterBucket < 1 || beforeId <= afterBucket + 1) return undefined;
  const id = path.slice(beforeId + 1);
  if (!uuidPattern.test(id)) return undefined;
  return { bucketId: path.slice(0, afterBucket), key: path.slice(afterBucket + 1, beforeId), id };
}
