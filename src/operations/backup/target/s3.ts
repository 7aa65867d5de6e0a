/** Stores backups in an S3 bucket. S3 lists an object only after its upload is complete. */
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { firstCause } from '../../../base/shared/errors.ts';
import { s3Error } from './s3-errors.ts';
import type { Target } from './types.ts';

export interface S3Location {
  readonly bucket: string;
  /** The prefix of all keys, which is an empty string or ends with `/`. */
  readonly prefix: string;
  /** The endpoint. Defaults to Amazon's endpoint in the region. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** The credentials. Defaults to the credentials that the AWS SDK finds. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

/** The maximum size of files that are uploaded in a single request. Larger files are uploaded in parts of this size. */
const partBytes = 8 * 1024 * 1024;

interface Timeouts {
  readonly connectMs: number;
  /** The time without any sent or received bytes after which the server is considered unavailable. */
  readonly idleMs: number;
  /**
   * The maximum time from the start of a request until its response. This time is enough to upload two parts in
   * parallel over a slow connection.
   */
  readonly requestMs: number;
}

const defaultTimeouts: Timeouts = { connectMs: 5_000, idleMs: 60_000, requestMs: 5 * 60_000 };

export function s3Target(location: S3Location, timeouts: Timeouts = defaultTimeouts): Target {
  const { bucket: Bucket, prefix } = location;
  let opened: Promise<S3Client> | undefined;
  const client = (): Promise<S3Client> => {
    opened ??= openClient(location, timeouts);
    return opened;
  };
  const label = `s3://${Bucket}/${prefix}`;
  const send = async <T>(request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw s3Error(error, label);
    }
  };
  return {
    label,
    async write(name, bytes) {
      const { Upload } = await import('@aws-sdk/lib-storage');
      const cause = firstCause();
      const upload = new Upload({
        client: await client(),
        params: {
          Bucket,
          Key: prefix + name,
          Body: Readable.from(cause.watch(bytes), { objectMode: false }),
        },
        partSize: partBytes,
        queueSize: 2,
      });
      try {
        await send(() => upload.done());
      } catch (error) {
        // The SDK then aborts the upload. If that fails too, the SDK reports only the second error.
        throw cause.of(error);
      }
    },
    async read(name) {
      const { GetObjectCommand } = await import('@aws-sdk/client-s3');
      try {
        const { Body } = await (await client()).send(new GetObjectCommand({ Bucket, Key: prefix + name }));
        return Body as Readable;
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw s3Error(error, label);
      }
    },
    async *list(beginning) {
      const { ListObjectsV2Command } = await import('@aws-sdk/client-s3');
      let token: string | undefined;
      do {
        const command = new ListObjectsV2Command({
          Bucket,
          Prefix: prefix + beginning,
          ContinuationToken: token,
        });
        const page = await send(async () => (await client()).send(command));
        for (const { Key, Size, LastModified } of page.Contents ?? []) {
          if (Key === undefined || !Key.startsWith(prefix)) continue;
          const modifiedAtMs = LastModified?.getTime() ?? Date.now();
          yield { name: Key.slice(prefix.length), sizeBytes: Size ?? 0, modifiedAtMs };
        }
        token = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    async remove(name) {
      const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
      try {
        await (await client()).send(new DeleteObjectCommand({ Bucket, Key: prefix + name }));
      } catch (error) {
        if (!isAbsent(error)) throw s3Error(error, label);
      }
    },
    /**
     * Removes the parts of uploads by processes that were killed, because these parts cost money and aren't listed as
     * objects.
     */
    async removeUnfinished(beforeMs) {
      const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await import('@aws-sdk/client-s3');
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix });
      // Errors are ignored because some servers don't support these requests and some credentials don't permit them. In
      // that case, a lifecycle rule of the bucket can remove the parts.
      const found = await (await client()).send(command).catch(() => undefined);
      for (const { Key, UploadId, Initiated } of found?.Uploads ?? []) {
        if (Key?.startsWith(prefix) !== true || (Initiated?.getTime() ?? beforeMs) >= beforeMs) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
        await (await client()).send(abort).catch(() => undefined);
      }
    },
    close: () => void opened?.then((one) => one.destroy()).catch(() => undefined),
  };
}

async function openClient(
  { region, endpoint, credentials }: S3Location,
  timeouts: Timeouts,
): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3');
  return new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    // Limits the retries, because an unresponsive server must not block the archive for longer than a server that is
    // down.
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      requestTimeout: timeouts.requestMs,
      throwOnRequestTimeout: true,
    },
    // Many S3-compatible servers don't support optional checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(credentials === undefined ? {} : { credentials }),
  });
}

/**
 * Whether the error means that the object doesn't exist. A missing bucket causes a different error than a missing
 * object.
 */
const isAbsent = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');
