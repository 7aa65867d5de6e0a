/**
 * The routes for buckets and files. These routes don't transfer the content of files. Instead, the page gets a link
 * that the storage service has signed for a file, and uses the link to read or write the file at the API's origin.
 * Therefore, no files are served from the Console's origin.
 */
import type { Database } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import type { Api } from '../routes/api.ts';
import type { ServiceClient } from '../service-client.ts';
import { listBySize } from './by-size.ts';
import { createStorageObjects, moveFolder, type StorageObjects } from './objects.ts';
import { measureUsage } from './usage.ts';

export interface StorageDeps {
  readonly database: Database;
  readonly callService: ServiceClient;
  readonly apiUrl: () => string;
  /** The file size limit for buckets that don't have their own limit. */
  readonly fileSizeLimitBytes: () => number;
  readonly audit: Audit;
}

/**
 * The lifetime of preview links, which is long enough to watch a movie. If access is needed for longer, operators
 * create a share link. Share links are recorded in the audit log.
 */
const previewSeconds = 2 * 3600;
/** Twice the width of the preview panel, because high-density screens show more pixels. */
const previewWidthPixels = 1000;
/** The types of images that are resized. GIF is excluded because resizing removes the animation. */
const picturesToShrink = /^image\/(?:jpeg|png|webp|avif|tiff)\b/i;

/**
 * The lifetime of thumbnail links, which is long enough for a list that stays open for a while. The browser requests an
 * image only when the image scrolls into view.
 */
const thumbnailSeconds = 30 * 60;
const thumbnailWidthPixels = 96;
/**
 * The minimum size of images that are resized. For smaller images, resizing takes more resources than sending the
 * original.
 */
const smallPictureBytes = 50_000;
const smallPictures = /^image\/(?:jpeg|png|webp|avif|gif)\b/i;

export function storageRoutes(api: Api, deps: StorageDeps): void {
  const { audit } = deps;
  const objects = createStorageObjects(deps.callService, deps.apiUrl);
  const route = api.feature(() => import('./contract.ts'));
  const named = (bucket: string, path: string): string => `${bucket}/${path}`;

  route('GET /storage', 'read', async () => ({
    buckets: await objects.buckets(),
    features: await objects.features(),
    url: `${deps.apiUrl()}/storage/v1`,
    fileSizeLimitBytes: deps.fileSizeLimitBytes(),
  }));
  route('POST /storage/buckets', 'write', async (call) => {
    const bucket = await call.body();
    await objects.createBucket(bucket);
    await audit(call, 'bucket.create', bucket.name, { public: bucket.public });
    return { name: bucket.name };
  });
  route('PATCH /storage/buckets/:bucket', 'write', async (call) => {
    const changes = await call.body();
    await objects.updateBucket(call.params.bucket, changes);
    await audit(call, 'bucket.update', call.params.bucket, changes);
  });
  route('POST /storage/buckets/:bucket/empty', 'write', async (call) => {
    await objects.emptyBucket(call.params.bucket);
    await audit(call, 'bucket.empty', call.params.bucket);
  });
  route('DELETE /storage/buckets/:bucket', 'write', async (call) => {
    await objects.deleteBucket(call.params.bucket);
    await audit(call, 'bucket.delete', call.params.bucket);
  });

  route('GET /storage/buckets/:bucket/objects', 'read', async (call) => {
    const { sort, ...query } = await call.query();
    return sort === 'size'
      ? listBySize(deps.database.pool('postgres'), call.params.bucket, query)
      : objects.list(call.params.bucket, { sort, ...query });
  });
  route('GET /storage/buckets/:bucket/object', 'read', async (call) => {
    const { path } = await call.query();
    const bucket = call.params.bucket;
    const info = await objects.info(bucket, path);
    const { transforms } = await objects.features();
    const isPicture = transforms && picturesToShrink.test(String(info.content_type));
    return {
      ...info,
      link: await objects.readLink(bucket, path, previewSeconds),
      preview_link: isPicture
        ? await objects.readLink(bucket, path, previewSeconds, previewWidthPixels)
        : null,
    };
  });
  route('POST /storage/buckets/:bucket/upload-link', 'write', async (call) => {
    const { path, replace } = await call.body();
    const link = await objects.uploadLink(call.params.bucket, path, replace);
    // The browser sends the file to the storage service, which can still reject the upload.
    await audit(call, 'object.upload-link', named(call.params.bucket, path), { replace });
    return link;
  });
  route('POST /storage/buckets/:bucket/share-link', 'write', async (call) => {
    const { path, seconds } = await call.body();
    const link = await objects.readLink(call.params.bucket, path, seconds);
    await audit(call, 'object.share', named(call.params.bucket, path), { seconds });
    return { link };
  });
  for (const verb of ['move', 'copy'] as const)
    route(`POST /storage/buckets/:bucket/${verb}`, 'write', async (call) => {
      const { from, to, bucket = call.params.bucket } = await call.body();
      await objects[verb](call.params.bucket, from, to, bucket);
      await audit(call, `object.${verb}`, named(call.params.bucket, from), { to: named(bucket, to) });
    });
  route('POST /storage/buckets/:bucket/move-folder', 'write', async (call) => {
    const { from, to, bucket: toBucket = call.params.bucket, cursor } = await call.body();
    const { bucket } = call.params;
    const move = (path: string, newPath: string) => objects.move(bucket, path, newPath, toBucket);
    const request = { bucket, from, toBucket, to, cursor };
    const { moved, failures, next } = await moveFolder(deps.callService, move, request);
    await audit(call, 'object.move', named(bucket, from), {
      to: named(toBucket, to),
      moved,
      failed: failures.map(({ path }) => path),
    });
    return { moved, failures, next };
  });
  route(
    'POST /storage/buckets/:bucket/thumbnails',
    'read',
    async (call) => {
      const { files } = await call.body();
      return { links: await thumbnailsOf(objects, call.params.bucket, files) };
    },
    { changes: 'nothing' },
  );
  route('GET /storage/usage', 'read', async (call) =>
    measureUsage(deps.database.pool('postgres'), (await call.query()).exact),
  );
  route('POST /storage/buckets/:bucket/remove', 'write', async (call) => {
    const { paths, folders } = await call.body();
    const removal = await objects.remove(call.params.bucket, paths, folders);
    await audit(call, 'object.delete', call.params.bucket, { paths, folders, deleted: removal.deleted });
    return removal;
  });
}

interface Picture {
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

/**
 * Signs links to thumbnails of images, or to the images themselves if they are already small. The links are short-lived
 * and their paths contain a token, so a cache can't serve the images to anyone else.
 */
async function thumbnailsOf(
  objects: StorageObjects,
  bucket: string,
  files: readonly Picture[],
): Promise<Record<string, string>> {
  const { transforms } = await objects.features();
  const links = await Promise.all(
    files.map(async ({ path, type, size }): Promise<[string, string] | undefined> => {
      const isSmall = size <= smallPictureBytes && smallPictures.test(type);
      if (!isSmall && !(transforms && picturesToShrink.test(type))) return undefined;
      const width = isSmall ? undefined : thumbnailWidthPixels;
      try {
        return [path, await objects.readLink(bucket, path, thumbnailSeconds, width)];
      } catch {
        // The file may have been deleted since the list of files was read. The thumbnails of the other files must still
        // be returned.
        return undefined;
      }
    }),
  );
  return Object.fromEntries(links.filter((link) => link !== undefined));
}
