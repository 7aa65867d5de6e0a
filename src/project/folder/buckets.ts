/** Creates the buckets that `[storage.buckets.NAME]` defines, through the storage service's HTTP API. */
import { readFileSync, statSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { filesBelow } from '../../base/shared/files.ts';
import { fileType } from '../../base/shared/http/media-type.ts';
import type { Config } from '../../platform/config/index.ts';
import { ProjectError } from './errors.ts';

export interface BucketDeps {
  readonly config: Config;
  /** Sends a request to the running backend, with a path such as `/storage/v1/bucket`. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly secretKey: string;
  readonly onProgress: (message: string) => void;
}

const uploadsAtOnce = 5;

/** Creates or updates all buckets, and uploads the files in each `objects_path`. @throws {ProjectError} */
export async function seedBuckets(deps: BucketDeps): Promise<void> {
  const buckets = Object.entries(deps.config.storage.buckets);
  if (buckets.length === 0) return;
  const existing = new Set(
    ((await call(deps, '*', { method: 'GET', path: '/bucket' })) as { name: string }[]).map(
      (bucket) => bucket.name,
    ),
  );
  for (const [name, bucket] of buckets) {
    const body = bodyOf(deps.config, bucket);
    if (body.file_size_limit > deps.config.storage.file_size_limit)
      throw new ProjectError('bucket_limit', { bucket: name });
    if (existing.has(name)) {
      deps.onProgress(`Updating Storage bucket: ${name}`);
      await call(deps, name, { method: 'PUT', path: `/bucket/${encodeURIComponent(name)}`, body });
    } else {
      deps.onProgress(`Creating Storage bucket: ${name}`);
      await call(deps, name, { method: 'POST', path: '/bucket', body: { name, ...body } });
    }
  }
  const uploads = bucketFiles(deps.config, deps.onProgress);
  await Promise.all(Array.from({ length: uploadsAtOnce }, () => uploadSome(deps, uploads)));
}

type Bucket = Config['storage']['buckets'][string];

const bodyOf = (config: Config, bucket: Bucket) => ({
  public: bucket.public,
  file_size_limit: bucket.file_size_limit ?? config.storage.file_size_limit,
  allowed_mime_types: bucket.allowed_mime_types.length === 0 ? null : bucket.allowed_mime_types,
});

/** Returns the settings for creating a bucket, or undefined if config.toml doesn't define the bucket. */
export function bucketSettings(config: Config, name: string): ReturnType<typeof bodyOf> | undefined {
  const { buckets } = config.storage;
  const bucket = Object.hasOwn(buckets, name) ? buckets[name] : undefined;
  return bucket && bodyOf(config, bucket);
}

/** A file in the `objects_path` of a bucket. */
export interface BucketFile {
  readonly bucket: string;
  readonly path: string;
  readonly key: string;
}

/** Returns the files in the `objects_path` of all buckets. @throws {ProjectError} if a folder can't be read */
export const bucketFiles = (config: Config, warn: (message: string) => void): BucketFile[] =>
  Object.entries(config.storage.buckets).flatMap(([name, { objects_path }]) =>
    objects_path === undefined ? [] : filesIn(name, objects_path, warn),
  );

/**
 * Returns the files in a folder. If the folder doesn't exist, as in a new clone, prints a warning and returns an empty
 * list.
 */
function filesIn(bucket: string, root: string, warn: (message: string) => void): BucketFile[] {
  try {
    if (statSync(root).isFile()) return [{ bucket, path: root, key: basename(root) }];
    return filesBelow(root).map((path) => ({
      bucket,
      path,
      key: relative(root, path).replaceAll('\\', '/'),
    }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      warn(
        `storage.buckets.${bucket}.objects_path: the folder ${root} doesn't exist, so no files are uploaded to the bucket.`,
      );
      return [];
    }
    throw new ProjectError(
      'objects_path',
      { bucket, path: root, message: (error as Error).message },
      { cause: error },
    );
  }
}

async function uploadSome(deps: BucketDeps, queue: BucketFile[]): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { bucket, path, key } = next;
    deps.onProgress(`Uploading: ${path} => ${bucket}/${key}`);
    const content = readFileSync(path);
    const target = [bucket, ...key.split('/')].map(encodeURIComponent).join('/');
    await call(deps, bucket, {
      method: 'POST',
      path: `/object/${target}`,
      body: content,
      headers: {
        'content-type': fileType(key, content),
        'cache-control': 'max-age=3600',
        'x-upsert': 'true',
      },
    });
  }
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

async function call(
  { fetch, secretKey }: BucketDeps,
  bucket: string,
  { method, path, body, headers = { 'content-type': 'application/json' } }: Call,
): Promise<unknown> {
  const response = await fetch(`/storage/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : headers),
      apikey: secretKey,
    },
    body:
      body === undefined ? null : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok)
    throw new ProjectError('bucket_failed', { bucket, message: messageOf(text, response.status) });
  return JSON.parse(text);
}

function messageOf(text: string, status: number): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // The body isn't JSON, so the message contains only the status.
  }
  return `status ${status}`;
}
