/** Defines all ways in which users can store and retrieve a document, and how a browser treats it. */
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { sql } from '../../src/base/kernel/sql.ts';
import { s3Client, signByHand } from '../storage/s3/clients.ts';
import type { StorageServer } from '../storage/server.ts';
import type { World } from './world.ts';

/**
 * Media types whose scripts browsers run, media types that browsers might sniff as such a type, and strings that aren't
 * valid media types.
 */
export const hostileTypes: readonly string[] = [
  'image/png, text/xsl',
  'image/png,text/html',
  'image/png; x=",text/html"',
  'text/plain, application/xhtml+xml',
  'text/html',
  'TEXT/HTML; charset=utf-7',
  'image/svg+xml',
  'IMAGE/SVG+XML;charset=utf-8',
  'image/x+xml',
  'application/xhtml+xml',
  'text/xml',
  'text/xsl',
  'application/xslt+xml',
  'application/rss+xml',
  'application/mathml+xml',
  'multipart/x-mixed-replace; boundary=x',
  'message/rfc822',
  'application/unknown',
  'image',
  'image/',
  '/png',
  'image/png; charset="',
  '*/*',
];

/** The media types that browsers display, play or save without running code. */
export const inertTypes: readonly string[] = [
  'image/png',
  'image/jpeg',
  'video/mp4',
  'audio/mpeg',
  'font/woff2',
  'text/plain',
  'text/plain;charset=UTF-8',
  'text/css',
  'text/csv',
  'text/markdown; charset=utf-8',
  'application/json',
  'application/geo+json',
  'application/pdf',
  'application/octet-stream',
  'application/zip',
];

export const xhtml =
  '<html xmlns="http://www.w3.org/1999/xhtml"><body><script>document.title = "ran"</script></body></html>';

/** Returns the URL and the keys of the test backend's storage service in the form that the S3 helpers expect. */
export const storageOf = ({ backend }: World): StorageServer =>
  ({ url: `${backend.url}/storage/v1`, keys: backend.keys }) as unknown as StorageServer;

export interface Entry {
  readonly status: number;
  readonly text: string;
}

/** A function that stores {@link xhtml} as `BUCKET/KEY` with this type. */
export type Entrance = (world: World, bucket: string, key: string, type: string) => Promise<Entry>;

const asService = ({ backend }: World) => ({ authorization: `Bearer ${backend.keys.serviceRoleKey}` });
const upsert = { 'x-upsert': 'true' };

function form(type: string, fields: Readonly<Record<string, string>> = {}): Blob {
  const lines = Object.entries(fields).map(
    ([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return new Blob([
    `${lines.join('')}--b\r\ncontent-disposition: form-data; name=""; filename="x"\r\ncontent-type: ${type}\r\n\r\n`,
    `${xhtml}\r\n--b--\r\n`,
  ]);
}
const formType = { 'content-type': 'multipart/form-data; boundary=b' };

async function s3Entry(work: () => Promise<unknown>): Promise<Entry> {
  try {
    await work();
    return { status: 200, text: '' };
  } catch (error) {
    const { $metadata, name, message } = error as Error & { $metadata?: { httpStatusCode?: number } };
    return { status: $metadata?.httpStatusCode ?? 400, text: `${name}: ${message}` };
  }
}

async function plain(world: World, key: string, body = xhtml): Promise<void> {
  const headers = { ...asService(world), ...upsert, 'content-type': 'text/plain' };
  await world.call(`/storage/v1/object/open/${key}`, { method: 'POST', headers, body });
}

export const entrances: Readonly<Record<string, Entrance>> = {
  'an upload': (world, bucket, key, type) =>
    world.call(`/storage/v1/object/${bucket}/${key}`, {
      method: 'POST',
      headers: { ...asService(world), ...upsert, 'content-type': type },
      body: xhtml,
    }),
  'a replacement': (world, bucket, key, type) =>
    world.call(`/storage/v1/object/${bucket}/${key}`, {
      method: 'PUT',
      headers: { ...asService(world), 'content-type': type },
      body: xhtml,
    }),
  'a part of a form': (world, bucket, key, type) =>
    world.call(`/storage/v1/object/${bucket}/${key}`, {
      method: 'POST',
      headers: { ...asService(world), ...upsert, ...formType },
      body: form(type),
    }),
  'a field of a form': (world, bucket, key, type) =>
    world.call(`/storage/v1/object/${bucket}/${key}`, {
      method: 'POST',
      headers: { ...asService(world), ...upsert, ...formType },
      body: form('image/png', { contentType: type }),
    }),
  'a signed upload': async (world, bucket, key, type) => {
    const headers = { ...asService(world), ...upsert };
    const { body } = await world.call(`/storage/v1/object/upload/sign/${bucket}/${key}`, {
      method: 'POST',
      headers,
    });
    return world.call(`/storage/v1${body.url}`, {
      method: 'PUT',
      headers: { 'content-type': type },
      body: xhtml,
    });
  },
  'a resumable upload': (world, bucket, key, type) => {
    const fields = { bucketName: bucket, objectName: key, contentType: type };
    const metadata = Object.entries(fields).map(
      ([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`,
    );
    return world.call('/storage/v1/upload/resumable', {
      method: 'POST',
      headers: {
        ...asService(world),
        ...upsert,
        'tus-resumable': '1.0.0',
        'upload-length': String(Buffer.byteLength(xhtml)),
        'upload-metadata': metadata.join(','),
        'content-type': 'application/offset+octet-stream',
      },
      body: xhtml,
    });
  },
  'the metadata of a copy': async (world, bucket, key, type) => {
    await plain(world, `${key}.source`);
    return world.call('/storage/v1/object/copy', {
      headers: { ...asService(world), ...upsert },
      json: {
        bucketId: 'open',
        sourceKey: `${key}.source`,
        destinationBucket: bucket,
        destinationKey: key,
        copyMetadata: false,
        metadata: { mimetype: type },
      },
    });
  },
  PutObject: (world, Bucket, Key, ContentType) =>
    s3Entry(() =>
      s3Client(storageOf(world)).send(new PutObjectCommand({ Bucket, Key, ContentType, Body: xhtml })),
    ),
  CopyObject: (world, Bucket, Key, ContentType) =>
    s3Entry(async () => {
      await plain(world, `${Key}.source`);
      const CopySource = `open/${Key}.source`;
      await s3Client(storageOf(world)).send(
        new CopyObjectCommand({ Bucket, Key, ContentType, CopySource, MetadataDirective: 'REPLACE' }),
      );
    }),
  CreateMultipartUpload: (world, Bucket, Key, ContentType) =>
    s3Entry(async () => {
      const client = s3Client(storageOf(world));
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType }));
      const part = { Bucket, Key, UploadId, PartNumber: 1 };
      const { ETag } = await client.send(new UploadPartCommand({ ...part, Body: xhtml }));
      const Parts = [{ ETag, PartNumber: 1 }];
      await client.send(
        new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
      );
    }),
  'a form of S3': async (world, Bucket, Key, type) => {
    const Fields = { 'Content-Type': type };
    const signed = await createPresignedPost(s3Client(storageOf(world)), { Bucket, Key, Fields });
    const sent = new FormData();
    for (const [field, value] of Object.entries(signed.fields)) sent.set(field, value);
    sent.set('file', new Blob([xhtml]), 'x');
    const response = await fetch(signed.url, { method: 'POST', body: sent });
    return { status: response.status, text: await response.text() };
  },
};

/** Simulates a row that was written by an older version, by SQL or by another program with access to the bucket. */
export async function storedBySql(world: World, key: string, mimetype: string, body?: string): Promise<void> {
  await plain(world, key, body);
  await world.backend.database
    .pool('supabase_storage_admin')
    .query(
      sql`update storage.objects set metadata = metadata || ${JSON.stringify({ mimetype })}::jsonb where bucket_id = 'open' and name = ${key}`,
    );
}

export interface Exit {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Returns requests for an object in the public bucket `open` or for data about the object. */
export async function exits(world: World, key: string): Promise<Record<string, Exit>> {
  const service = asService(world);
  const { body: signed } = await world.call(`/storage/v1/object/sign/open/${key}`, {
    headers: service,
    json: { expiresIn: 60 },
  });
  const shown = `/storage/v1/object/public/open/${key}`;
  const { headers } = await world.call(shown);
  const byS3 = (method: string, query = ''): Exit => {
    const path = `/open/${key}`;
    const { headers: marks, url } = signByHand(storageOf(world), { method, path, query });
    const { host: _, ...rest } = marks;
    return { method, path: url.slice(world.backend.url.length), headers: rest };
  };
  return {
    'the public address': { path: shown },
    'HEAD of it': { path: shown, method: 'HEAD' },
    'a range': { path: shown, headers: { range: 'bytes=0-3' } },
    'a range beyond the end': { path: shown, headers: { range: 'bytes=9000-' } },
    'a copy that is current': { path: shown, headers: { 'if-none-match': headers.get('etag') ?? '' } },
    'a download': { path: `${shown}?download=x.html` },
    'the authenticated address': { path: `/storage/v1/object/authenticated/open/${key}`, headers: service },
    'the bare address': { path: `/storage/v1/object/open/${key}`, headers: service },
    'a signed address': { path: `/storage/v1${signed.signedURL}` },
    'what is known of it': { path: `/storage/v1/object/info/public/open/${key}` },
    'a picture of it': { path: `/storage/v1/render/image/public/open/${key}` },
    GetObject: byS3('GET'),
    HeadObject: byS3('HEAD'),
    'GetObject that is current': {
      ...byS3('GET'),
      headers: { ...byS3('GET').headers, 'if-none-match': headers.get('etag') ?? '' },
    },
    'GetObject as XSLT': byS3('GET', 'response-content-type=text%2Fxsl'),
    'GetObject as two types': byS3('GET', 'response-content-type=image%2Fpng%2C%20text%2Fxsl'),
  };
}

/** The safe types, in a second implementation that is independent of the server's list. */
const reviewed =
  /^(?:image\/(?:png|jpeg|jpg|gif|webp|avif)|(?:audio|video|font)\/[a-z0-9.-]+|text\/(?:plain|css|csv|markdown)|application\/(?:(?:[a-z0-9.-]+\+)?json|pdf|octet-stream|zip))(?: ?; ?(?:charset|version)=[\w.-]+|;nulls=stripped)*$/i;

/**
 * Returns undefined if a browser doesn't run any code in this response with Plinth's origin. Otherwise, returns the
 * problem.
 */
export function danger(status: number, headers: Headers): string | undefined {
  if (headers.get('x-content-type-options') !== 'nosniff')
    return `x-content-type-options is ${headers.get('x-content-type-options')}`;
  const type = headers.get('content-type');
  // Responses with these statuses have no content (RFC 9110 section 15).
  if (type === null && (status === 204 || status === 304)) return undefined;
  if (type !== null && reviewed.test(type)) return undefined;
  const policies = (headers.get('content-security-policy') ?? '').split(',');
  if (policies.some((policy) => policy.split(';').some((one) => one.trim() === 'sandbox'))) return undefined;
  return `${type} without a sandbox`;
}
