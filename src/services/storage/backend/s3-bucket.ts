/** Provides the S3 bucket of the backend: its client, its keys and operations that several modules share. */
import type { S3Client, S3ServiceException as ServiceException } from '@aws-sdk/client-s3';
import { BackendUnavailableError } from '../errors.ts';
import { checkedVersion } from './file-paths.ts';

/** The settings in `[storage.s3]` of plinth.toml. */
export interface S3Settings {
  readonly bucket: string;
  /** The address of the S3 server. If the address is undefined, Amazon's endpoint for the region is used. */
  readonly endpoint: string | undefined;
  /** The address at which clients can reach the S3 server, if it differs from `endpoint`. */
  readonly public_endpoint?: string | undefined;
  readonly region: string;
  readonly force_path_style: boolean;
  /**
   * The access key. If the key is undefined, the SDK's default credentials are used (from the environment, a profile or
   * the machine's role).
   */
  readonly access_key_id: string | undefined;
  readonly secret_access_key: string | undefined;
  /** The prefix of every key, so that several projects can share a bucket. */
  readonly prefix: string;
}

export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  object(version: string): string;
  upload(version: string): string;
  part(upload: string, id: string): string;
  orphan(version: string): string;
  /** Returns the key prefix of all objects, uploads or orphans whose version begins with `digits`. */
  folder(kind: 'objects' | 'uploads' | 'orphans', digits?: string): string;
  /** Returns all keys that begin with a prefix. */
  list(prefix: string): Promise<string[]>;
  listed(prefix: string): AsyncGenerator<{ readonly key: string; readonly lastModifiedMs: number }>;
  /** Aborts a multipart upload if the server supports it. Never throws. */
  abort(key: string, uploadId: string | undefined): Promise<void>;
  /** Copies an object within the bucket. Returns undefined if the source object doesn't exist. */
  copy(from: string, to: string): Promise<{ readonly etag: string; readonly lastModified: Date } | undefined>;
}

const connectMs = 3_000;
const idleMs = 60_000;

/** Whether the failure affects all requests to the bucket instead of this request. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { httpStatusCode: status } = (error as Partial<ServiceException>).$metadata ?? {};
  // Without a response, the connection failed or credentials are missing.
  if (status === undefined) return true;
  // With 501, the server rejects only this kind of request.
  return (
    (status >= 500 && status !== 501) || [401, 403, 429].includes(status) || error.name === 'NoSuchBucket'
  );
}

export async function openBucket(settings: S3Settings): Promise<Bucket> {
  const { AbortMultipartUploadCommand, CopyObjectCommand, ListObjectsV2Command, S3Client } = await import(
    '@aws-sdk/client-s3'
  );
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, bucket: name } = settings;
  const client = new S3Client({
    region: settings.region,
    endpoint: settings.endpoint,
    forcePathStyle: settings.force_path_style,
    // Optional checksums are disabled, because many S3-compatible servers don't support them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    // By default, the SDK waits as long as the operating system does, which is minutes.
    requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs },
  });
  // The outermost step also receives the errors of the credentials and of the last retry.
  client.middlewareStack.add(
    (next) => async (input) => {
      try {
        return await next(input);
      } catch (error) {
        throw isUnavailable(error) ? new BackendUnavailableError(error) : error;
      }
    },
    { step: 'initialize', priority: 'high', name: 'unavailable' },
  );
  const folder: Bucket['folder'] = (kind, digits = '') => `${settings.prefix}${kind}/${digits}`;
  const bucket: Bucket = {
    client,
    name,
    folder,
    object: (version) => folder('objects', checkedVersion(version)),
    upload: (version) => `${folder('uploads', checkedVersion(version))}/`,
    part: (upload, id) => `${folder('uploads', checkedVersion(upload))}/${checkedVersion(id)}`,
    orphan: (version) => folder('orphans', checkedVersion(version)),
    async *listed(prefix) {
      let token: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: name, Prefix: prefix, ContinuationToken: token }),
        );
        for (const { Key, LastModified } of page.Contents ?? [])
          if (Key !== undefined) yield { key: Key, lastModifiedMs: LastModified?.getTime() ?? Date.now() };
        token = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    async list(prefix) {
      const keys: string[] = [];
      for await (const { key } of bucket.listed(prefix)) keys.push(key);
      return keys;
    },
    async abort(key, uploadId) {
      await client
        .send(new AbortMultipartUploadCommand({ Bucket: name, Key: key, UploadId: uploadId }))
        .catch(() => undefined);
    },
    async copy(from, to) {
      try {
        const { CopyObjectResult } = await client.send(
          new CopyObjectCommand({ Bucket: name, Key: to, CopySource: `${name}/${from}` }),
        );
        return {
          etag: CopyObjectResult?.ETag ?? '""',
          lastModified: CopyObjectResult?.LastModified ?? new Date(),
        };
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
  };
  return bucket;
}

/**
 * Deletes keys one by one, because some servers don't support DeleteObjects or the checksum that DeleteObjects
 * requires.
 */
export async function removeKeys(bucket: Bucket, keys: readonly string[]): Promise<void> {
  const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
  for (const Key of keys) {
    try {
      await bucket.client.send(new DeleteObjectCommand({ Bucket: bucket.name, Key }));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
}

/**
 * Whether the error means that the object doesn't exist. A missing bucket causes a different error, so it can't be
 * mistaken for a missing object.
 */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}
