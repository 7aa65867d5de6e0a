/** Accesses buckets and objects through the storage service's API as service_role. */

import { ConsoleError } from '../errors.ts';
import type { ServiceClient } from '../service-client.ts';
import type {
  Bucket,
  FolderEntry,
  FolderMove,
  FolderPage,
  ObjectInfo,
  Removal,
  StorageFeatures,
  UploadLink,
} from './contract.ts';

const missing = "This bucket or file doesn't exist.";
const pageLimit = 200;
const deleteBatch = 1000;
/**
 * The maximum number of objects that a call deletes. The limit prevents a call from taking too long. The caller repeats
 * the call until all objects have been deleted.
 */
const maxDeleted = 10_000;

interface BucketSettings {
  readonly public?: boolean | undefined;
  readonly file_size_limit?: number | null | undefined;
  readonly allowed_mime_types?: readonly string[] | null | undefined;
}

interface FolderQuery {
  readonly prefix: string;
  readonly cursor?: string | undefined;
  readonly sort: string;
  readonly order: string;
}

export interface StorageObjects {
  buckets(): Promise<Bucket[]>;
  createBucket(bucket: BucketSettings & { readonly name: string }): Promise<void>;
  updateBucket(bucket: string, settings: BucketSettings): Promise<void>;
  emptyBucket(bucket: string): Promise<void>;
  deleteBucket(bucket: string): Promise<void>;
  list(bucket: string, query: FolderQuery): Promise<FolderPage>;
  info(bucket: string, path: string): Promise<ObjectInfo>;
  /**
   * Returns a URL for reading the object. `seconds` is the number of seconds for which the URL is valid. With
   * `widthPixels`, the URL leads to an image whose width is at most this number of pixels.
   */
  readLink(bucket: string, path: string, seconds: number, widthPixels?: number): Promise<string>;
  uploadLink(bucket: string, path: string, replace: boolean): Promise<UploadLink>;
  move(bucket: string, from: string, to: string, toBucket: string): Promise<void>;
  copy(bucket: string, from: string, to: string, toBucket: string): Promise<void>;
  remove(bucket: string, paths: readonly string[], folders: readonly string[]): Promise<Removal>;
  features(): Promise<StorageFeatures>;
}

export function createStorageObjects(callService: ServiceClient, apiUrl: () => string): StorageObjects {
  const call: ServiceClient = (path, options = {}) =>
    callService(`/storage/v1${path}`, { missing, ...options });
  const post = (path: string, body: unknown) => call(path, { method: 'POST', body });
  let features: Promise<StorageFeatures> | undefined;

  async function removePaths(bucket: string, paths: readonly string[]): Promise<number> {
    if (paths.length === 0) return 0;
    const { body } = await call(`/object/${encodeURIComponent(bucket)}`, {
      method: 'DELETE',
      body: { prefixes: paths },
    });
    return Array.isArray(body) ? body.length : 0;
  }

  async function removeFolder(bucket: string, folder: string, maxFiles: number): Promise<Removal> {
    let deleted = 0;
    while (deleted < maxFiles) {
      const { body } = await post(`/object/list-v2/${encodeURIComponent(bucket)}`, {
        prefix: folder,
        limit: Math.min(deleteBatch, maxFiles - deleted),
      });
      const objects = body.objects as { name: string }[];
      const gone = await removePaths(
        bucket,
        objects.map(({ name }) => name),
      );
      deleted += gone;
      if (body.hasNext !== true || gone === 0) return { deleted, more: false };
    }
    return { deleted, more: true };
  }

  return {
    buckets: async () => (await call('/bucket')).body as unknown as Bucket[],
    async createBucket(bucket) {
      await post('/bucket', { ...bucket, id: bucket.name });
    },
    async updateBucket(bucket, settings) {
      await call(`/bucket/${encodeURIComponent(bucket)}`, { method: 'PUT', body: settings });
    },
    async emptyBucket(bucket) {
      await post(`/bucket/${encodeURIComponent(bucket)}/empty`, {});
    },
    async deleteBucket(bucket) {
      await call(`/bucket/${encodeURIComponent(bucket)}`, { method: 'DELETE', body: {} });
    },
    list: async (bucket, { prefix, cursor, sort, order }) =>
      (
        await post(`/object/list-v2/${encodeURIComponent(bucket)}`, {
          prefix,
          limit: pageLimit,
          with_delimiter: true,
          sortBy: { column: sort, order },
          ...(cursor === undefined ? {} : { cursor }),
        })
      ).body as unknown as FolderPage,
    info: async (bucket, path) =>
      (await call(`/object/info/${addressOf(bucket, path)}`)).body as unknown as ObjectInfo,
    async readLink(bucket, path, seconds, widthPixels) {
      const { body } = await post(`/object/sign/${addressOf(bucket, path)}`, {
        expiresIn: seconds,
        ...(widthPixels === undefined ? {} : { transform: { width: widthPixels, resize: 'contain' } }),
      });
      return apiUrl() + pathOf(String(body.signedURL));
    },
    async uploadLink(bucket, path, replace) {
      const { body } = await call(`/object/upload/sign/${addressOf(bucket, path)}`, {
        method: 'POST',
        body: {},
        headers: replace ? { 'x-upsert': 'true' } : {},
      });
      return { url: apiUrl() + pathOf(String(body.url)), token: String(body.token) };
    },
    async move(bucket, from, to, toBucket) {
      await post('/object/move', {
        bucketId: bucket,
        sourceKey: from,
        destinationKey: to,
        destinationBucket: toBucket,
      });
    },
    async copy(bucket, from, to, toBucket) {
      await post('/object/copy', {
        bucketId: bucket,
        sourceKey: from,
        destinationKey: to,
        destinationBucket: toBucket,
      });
    },
    async remove(bucket, paths, folders) {
      let deleted = await removePaths(bucket, paths);
      for (const folder of folders) {
        const removal = await removeFolder(bucket, folder, maxDeleted - deleted);
        deleted += removal.deleted;
        if (removal.more) return { deleted, more: true };
      }
      return { deleted, more: false };
    },
    features() {
      features ??= (async () => ({
        resumable: await isServed(call, '/upload/resumable', 'OPTIONS'),
        transforms: await isServed(call, '/render/image/authenticated/none/none', 'GET'),
      }))();
      return features;
    },
  };
}

const addressOf = (bucket: string, path: string): string =>
  [bucket, ...path.split('/')].map(encodeURIComponent).join('/');

/**
 * Returns the path of a signed link. The storage service returns links without a prefix and without percent-encoding.
 */
function pathOf(signed: string): string {
  const [path = '', query = ''] = signed.split(/\?(?=token=[^?]*$)/, 2);
  return `/storage/v1${path.split('/').map(encodeURIComponent).join('/')}?${query}`;
}

/**
 * Whether the storage service has this route. For an unknown route, the error message says that the route doesn't
 * exist.
 */
async function isServed(call: ServiceClient, path: string, method: 'OPTIONS' | 'GET'): Promise<boolean> {
  try {
    await call(path, { method });
    return true;
  } catch (error) {
    return !(error instanceof Error && /^Route \w+:/.test(error.message));
  }
}

/**
 * The number of files that are moved per call. The caller repeats the call until all files are moved, so the caller can
 * show the progress and stop.
 */
const maxMoved = 100;
const concurrentMoves = 4;

/**
 * Moves all files in a folder. The storage service can't move a folder in one step, because folders exist only as parts
 * of file paths.
 */
interface MoveRequest {
  readonly bucket: string;
  readonly from: string;
  readonly toBucket: string;
  readonly to: string;
  readonly cursor?: string | undefined;
}

/**
 * Moves the next batch of files. Files that can't be moved, for example because the new path already exists, stay where
 * they are and are returned with the reason. Moved files are no longer in the old folder, so the move can be continued
 * without a cursor.
 * @throws {ConsoleError} bad_request
 */
export async function moveFolder(
  callService: ServiceClient,
  move: (from: string, to: string) => Promise<void>,
  { bucket, from, toBucket, to, cursor }: MoveRequest,
): Promise<FolderMove> {
  if (bucket === toBucket && to.startsWith(from))
    throw new ConsoleError('bad_request', {
      message: "A folder can't be moved into itself. Enter a path outside of the folder.",
    });
  const { body } = await callService(`/storage/v1/object/list-v2/${encodeURIComponent(bucket)}`, {
    method: 'POST',
    missing: "This bucket or file doesn't exist.",
    body: { prefix: from, limit: maxMoved, ...(cursor === undefined ? {} : { cursor }) },
  });
  const waiting = (body.objects as FolderEntry[]).map(({ name }) => name);
  const failures: { path: string; message: string }[] = [];
  let moved = 0;
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      try {
        await move(path, to + path.slice(from.length));
        moved++;
      } catch (error) {
        failures.push({ path, message: (error as Error).message });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrentMoves }, work));
  return { moved, failures, next: body.hasNext === true ? String(body.nextCursor) : null };
}
