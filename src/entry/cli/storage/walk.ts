/** Finds objects for the `storage` commands. */
import { CommandError } from '../errors.ts';
import type { Entry, StorageApi } from './api.ts';
import { folderKey, type StoragePath } from './core/storage-path.ts';

/** An object. For an empty bucket, the key is empty. */
export interface Found extends Entry {
  readonly bucket: string;
}

/**
 * Yields all objects whose keys begin with the path's key, or all objects in buckets whose names begin with the path.
 */
export async function* withPrefix(api: StorageApi, path: StoragePath): AsyncGenerator<Found> {
  if (!namesBuckets(path)) return yield* inBucket(api, path.bucket, path.key);
  for (const bucket of await api.listBuckets())
    if (bucket.startsWith(path.bucket)) yield* inBucket(api, bucket, '');
}

/** Yields the object with exactly this path and all objects in the folder with this path. */
export async function* below(api: StorageApi, path: StoragePath): AsyncGenerator<Found> {
  if (path.bucket === '') return yield* withPrefix(api, path);
  if (path.key !== '' && !path.isFolder) {
    const exact = await findObject(api, path.bucket, path.key);
    if (exact !== undefined) yield exact;
  }
  yield* inBucket(api, path.bucket, folderKey(path.key));
}

export async function findObject(api: StorageApi, bucket: string, key: string): Promise<Found | undefined> {
  // A key sorts before all longer keys that begin with this key.
  for await (const [first] of api.list(bucket, key, { isDeep: true, limit: 1 }))
    return first?.key === key ? { bucket, ...first } : undefined;
  return undefined;
}

/** Whether the path matches buckets, as in `ss:///` and `ss:///na`, but not in `ss:///name/`. */
export const namesBuckets = ({ bucket, key, isFolder }: StoragePath): boolean =>
  bucket === '' || (key === '' && !isFolder);

async function* inBucket(api: StorageApi, bucket: string, prefix: string): AsyncGenerator<Found> {
  let isEmpty = true;
  for await (const page of api.list(bucket, prefix, { isDeep: true }))
    for (const entry of page) {
      isEmpty = false;
      yield { bucket, ...entry };
    }
  if (!isEmpty || prefix !== '') return;
  // Checks that the bucket exists, because the service returns an empty list for a bucket that doesn't exist.
  if (!(await api.listBuckets()).includes(bucket)) throw new CommandError(`Bucket not found: ${bucket}`);
  yield { bucket, key: '', sizeBytes: undefined };
}
