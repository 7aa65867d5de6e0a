/**
 * Encodes the last part of a resumable upload's URL: base64url of `bucket/key/id`, as in upstream. The server finds the
 * upload by its ID, which is a UUID that the server generated. The bucket and the key in the URL must match the stored
 * upload.
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
