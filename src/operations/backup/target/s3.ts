/** Stores backups in an S3 bucket. S3 lists an object only after its upload is complete. */
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { firstCause } from '../../../base/shared/errors.ts';
import { BackupError } from '../errors.ts';
import type { Target } from './types.ts';

interface S3Location {
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
    async create(name, bytes) {
      const { PutObjectCommand } = await import('@aws-sdk/client-s3');
      const put = async (condition: { readonly IfNoneMatch?: '*' }): Promise<unknown> =>
        (await client()).send(
          new PutObjectCommand({ Bucket, Key: prefix + name, Body: bytes, ...condition }),
        );
      try {
        await put({ IfNoneMatch: '*' });
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        if (!isUnsupported(error)) throw s3Error(error, label);
      }
      await send(() => put({}));
      return true;
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

/** Whether a conditional write failed because the object exists, or another client is writing it. */
const isConflict = (error: unknown): boolean =>
  error instanceof Error && ['PreconditionFailed', 'ConditionalRequestConflict'].includes(error.name);

/** Whether the server doesn't support conditional writes. */
const isUnsupported = (error: unknown): boolean => error instanceof Error && error.name === 'NotImplemented';

/** Sentences that tell operators how to fix an error. */
const causes: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "The S3 server doesn't recognize the access key ID.",
  SignatureDoesNotMatch: 'The S3 server rejects the secret access key.',
  AccessDenied: "The credentials don't allow this access to the bucket.",
  Forbidden: "The credentials don't allow this access to the bucket.",
  ExpiredToken: 'The S3 session token has expired.',
  InvalidToken: 'The S3 session token is invalid.',
  RequestTimeTooSkewed: "The clock of this machine differs too much from the S3 server's clock.",
  RequestExpired: "The clock of this machine differs too much from the S3 server's clock.",
  NoSuchBucket: "The bucket doesn't exist.",
  PermanentRedirect: "The bucket is in a different region. Set region= in the URL to the bucket's region.",
  AuthorizationHeaderMalformed:
    "The bucket is in a different region. Set region= in the URL to the bucket's region.",
  CredentialsProviderError: 'No S3 credentials are configured.',
  ENOTFOUND: "The host of the S3 server can't be found.",
  EAI_AGAIN: "The host of the S3 server can't be found at the moment.",
  ECONNREFUSED: 'The S3 server refuses connections.',
  ECONNRESET: 'The S3 server closed the connection.',
  TimeoutError: "The S3 server doesn't respond.",
  SlowDown: 'The S3 server rejects requests because there are too many of them.',
};

/** Returns a BackupError for a known S3 error. Returns all other errors unchanged. */
function s3Error(error: unknown, label: string): unknown {
  if (!(error instanceof Error) || error instanceof BackupError) return error;
  const { code, Code } = error as Error & { code?: string; Code?: string };
  const names = [error.name, Code, code].filter((name) => name !== undefined);
  const sentence = names.map((name) => causes[name]).find((cause) => cause !== undefined);
  return sentence === undefined ? error : new BackupError('s3_failed', `(${label}) ${sentence}`, error);
}
