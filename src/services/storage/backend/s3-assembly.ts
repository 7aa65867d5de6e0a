/**
 * Assembles an object from parts that are already S3 objects. S3 combines the parts if all of them except the last have
 * at least 5 MiB and the server supports UploadPartCopy. Otherwise, this process downloads the parts and uploads the
 * whole object.
 */
import type { Readable } from 'node:stream';
import { type Bucket, isAbsent } from './s3-bucket.ts';
import { minMultipartBytes, type Part, type StoredBody } from './types.ts';

/** The number of copies that run concurrently. */
const copiesAtOnce = 8;

type Store = (bytes: AsyncIterable<Uint8Array>, maxBytes: number) => Promise<StoredBody>;

interface Assembly {
  readonly upload: string;
  readonly parts: readonly Part[];
  /** The version of the assembled object. */
  readonly version: string;
}

/** Assembles the object. Returns false if a part is missing. */
export async function assembleInS3(
  bucket: Bucket,
  { upload, parts, version }: Assembly,
  store: Store,
): Promise<boolean> {
  const keys = parts.map(({ id }) => bucket.part(upload, id));
  const [only] = keys;
  if (keys.length === 1 && only !== undefined)
    return (await bucket.copy(only, bucket.object(version))) !== undefined;
  try {
    if (parts.slice(0, -1).every(({ sizeBytes }) => sizeBytes >= minMultipartBytes)) {
      try {
        await joinByCopying(bucket, keys, bucket.object(version));
        return true;
      } catch (error) {
        if (!(error instanceof Error && error.name === 'NotImplemented')) throw error;
      }
    }
    const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
    const stored = await store(readAll(bucket, keys), sizeBytes);
    if (stored.sizeBytes !== sizeBytes) throw new Error('A part is shorter than it was when it was stored');
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function joinByCopying(bucket: Bucket, keys: readonly string[], target: string): Promise<void> {
  const s3 = await import('@aws-sdk/client-s3');
  const { client, name: Bucket } = bucket;
  const at = { Bucket, Key: target };
  const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(at));
  try {
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (let from = 0; from < keys.length; from += copiesAtOnce) {
      const some = keys.slice(from, from + copiesAtOnce).map(async (key, index) => {
        const PartNumber = from + index + 1;
        const CopySource = `${Bucket}/${key}`;
        const { CopyPartResult } = await client.send(
          new s3.UploadPartCopyCommand({ ...at, UploadId, PartNumber, CopySource }),
        );
        return { PartNumber, ETag: CopyPartResult?.ETag };
      });
      // All copies must have finished before the upload can be aborted.
      for (const settled of await Promise.allSettled(some)) {
        if (settled.status === 'rejected') throw settled.reason;
        Parts.push(settled.value);
      }
    }
    await client.send(new s3.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } }));
  } catch (error) {
    await bucket.abort(target, UploadId);
    throw error;
  }
}

async function* readAll(bucket: Bucket, keys: readonly string[]): AsyncGenerator<Uint8Array> {
  const { GetObjectCommand } = await import('@aws-sdk/client-s3');
  for (const Key of keys) {
    const { Body } = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key }));
    yield* Body as Readable;
  }
}
