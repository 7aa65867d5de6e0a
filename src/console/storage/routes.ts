/**
 * The routes for buckets and files. The content of files isn't sent through these routes. Instead, the page gets a link
 * that the storage service has signed for one file, and reads or writes the file on the API's origin. No file is
 * therefore served from the Console's origin.
 */
import type { Audit } from '../audit.ts';
import type { Api } from '../routes/api.ts';
import type { ServiceClient } from '../service-client.ts';
import { createStorageObjects } from './objects.ts';

export interface StorageDeps {
  readonly callService: ServiceClient;
  readonly apiUrl: () => string;
  /** The file size limit for buckets that don't have their own limit. */
  readonly fileSizeLimitBytes: () => number;
  readonly audit: Audit;
}

/**
 * The lifetime of preview links, which is long enough to watch a movie. For longer access, operators create a share
 * link, which is recorded in the audit log.
 */
const previewSeconds = 2 * 3600;
/** Twice the width of the panel, because high-density screens show more pixels. */
const previewWidthPixels = 1000;
/** The types that are resized. GIF is excluded because resized images aren't animated. */
const picturesToShrink = /^image\/(?:jpeg|png|webp|avif|tiff)\b/i;

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

  route('GET /storage/buckets/:bucket/objects', 'read', async (call) =>
    objects.list(call.params.bucket, await call.query()),
  );
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
    await audit(call, 'object.upload', named(call.params.bucket, path), { replace });
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
  route('POST /storage/buckets/:bucket/remove', 'write', async (call) => {
    const { paths, folders } = await call.body();
    const removal = await objects.remove(call.params.bucket, paths, folders);
    await audit(call, 'object.delete', call.params.bucket, { paths, folders, deleted: removal.deleted });
    return removal;
  });
}
