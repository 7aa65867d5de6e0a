/**
 * Buckets and files. Bytes do not go through here: the page gets a link for one file that storage itself has signed, to
 * read it for minutes or to write it, and talks to storage on the API's origin. So no file is ever of the Console's own.
 */
import type { Audit } from '../audit.ts';
import { type Api, type Call, parse } from '../routes/api.ts';
import type { Services } from '../services.ts';
import { createStorageObjects } from './objects.ts';

export interface StorageDeps {
  readonly services: Services;
  readonly apiUrl: () => string;
  /** Of a file, when its bucket sets none. */
  readonly fileSizeLimitBytes: number;
  readonly audit: Audit;
}

/** Long enough to watch a film; whoever wants more asks for a link to share, which is audited. */
const previewSeconds = 2 * 3600;
/** Twice the panel's width, for dense screens. */
const previewWidthPixels = 1000;
/** A GIF may move, and its small picture would not. */
const picturesToShrink = /^image\/(?:jpeg|png|webp|avif|tiff)\b/i;

export function storageRoutes(api: Api, deps: StorageDeps): void {
  const { audit } = deps;
  const objects = createStorageObjects(deps.services, deps.apiUrl);
  const bucketOf = ({ request }: Call): string => (request.params as { bucket: string }).bucket;
  const named = (bucket: string, path: string): string => `${bucket}/${path}`;
  const bucketPath = '/storage/buckets/:bucket';

  api.route('GET', '/storage', 'read', async () => ({
    buckets: await objects.buckets(),
    features: await objects.features(),
    url: `${deps.apiUrl()}/storage/v1`,
    fileSizeLimitBytes: deps.fileSizeLimitBytes,
  }));
  api.route('POST', '/storage/buckets', 'write', async (call) => {
    const bucket = await parse('newBucket', call.request.body);
    await objects.createBucket(bucket);
    await audit(call, 'bucket.create', bucket.name, { public: bucket.public });
    return { name: bucket.name };
  });
  api.route('PATCH', bucketPath, 'write', async (call) => {
    const changes = await parse('bucketChange', call.request.body);
    await objects.updateBucket(bucketOf(call), changes);
    await audit(call, 'bucket.update', bucketOf(call), changes);
  });
  api.route('POST', `${bucketPath}/empty`, 'write', async (call) => {
    await objects.emptyBucket(bucketOf(call));
    await audit(call, 'bucket.empty', bucketOf(call));
  });
  api.route('DELETE', bucketPath, 'write', async (call) => {
    await objects.deleteBucket(bucketOf(call));
    await audit(call, 'bucket.delete', bucketOf(call));
  });

  api.route('GET', `${bucketPath}/objects`, 'read', async (call) =>
    objects.list(bucketOf(call), await parse('folderPage', call.request.query)),
  );
  api.route('GET', `${bucketPath}/object`, 'read', async (call) => {
    const { path } = await parse('objectPath', call.request.query);
    const bucket = bucketOf(call);
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
  api.route('POST', `${bucketPath}/upload-link`, 'write', async (call) => {
    const { path, replace } = await parse('uploadLink', call.request.body);
    const link = await objects.uploadLink(bucketOf(call), path, replace);
    await audit(call, 'object.upload', named(bucketOf(call), path), { replace });
    return link;
  });
  api.route('POST', `${bucketPath}/share-link`, 'write', async (call) => {
    const { path, seconds } = await parse('shareLink', call.request.body);
    const link = await objects.readLink(bucketOf(call), path, seconds);
    await audit(call, 'object.share', named(bucketOf(call), path), { seconds });
    return { link };
  });
  for (const verb of ['move', 'copy'] as const)
    api.route('POST', `${bucketPath}/${verb}`, 'write', async (call) => {
      const { from, to, bucket = bucketOf(call) } = await parse('objectMove', call.request.body);
      await objects[verb](bucketOf(call), from, to, bucket);
      await audit(call, `object.${verb}`, named(bucketOf(call), from), { to: named(bucket, to) });
    });
  api.route('POST', `${bucketPath}/remove`, 'write', async (call) => {
    const { paths, folders } = await parse('objectRemove', call.request.body);
    const removal = await objects.remove(bucketOf(call), paths, folders);
    await audit(call, 'object.delete', bucketOf(call), { paths, folders, deleted: removal.deleted });
    return removal;
  });
}
