/**
 * Stores objects in an S3-compatible bucket. Object bodies have keys of the form `objects/VERSION`, parts of unfinished
 * uploads have keys of the form `uploads/UPLOAD/PART`, and orphans have keys of the form `orphans/VERSION`. S3 responds
 * only after an object is durable and atomically visible, so the row is committed afterward, as in the file backend.
 * Intents are files in the data folder. If the intents are lost, for example in a container without a persistent disk,
 * a sweep finds the leftover bodies.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { firstCause } from '../../../base/shared/errors.ts';
import { objectUrl, presignGet } from '../core/presigned-url.ts';
import { isVersion } from './file-paths.ts';
import { createIntentLog } from './intents.ts';
import { createOwners } from './owners.ts';
import { assembleInS3 } from './s3-assembly.ts';
import { type Bucket, isAbsent, openBucket, removeKeys, type S3Settings } from './s3-bucket.ts';
import { createMultipart } from './s3-multipart.ts';
import { sweepS3 } from './sweep.ts';
import {
  BodyTooLargeError,
  describeParts,
  maxMultipartParts,
  minMultipartBytes,
  type ObjectBackend,
  type OpenBody,
  type StoredBody,
} from './types.ts';

/** The maximum size of an object that CopyObject can copy. */
const maxCopyBytes = 5 * 1024 * 1024 * 1024;

/**
 * The signature of an object's URL changes after this period, so that browsers can use the cached response until then. A
 * URL is valid for twice this period.
 */
const urlPeriodMs = 5 * 60 * 1000;

/** Creates the S3 backend. `root` is the folder for intents. The SDK is loaded on first use. */
export function createS3Backend(settings: S3Settings, root: string): ObjectBackend {
  const intentDir = join(root, 'intents');
  mkdirSync(intentDir, { recursive: true, mode: 0o700 });
  const owners = createOwners(join(root, 'owners'));
  let opened: Promise<Bucket> | undefined;
  const bucket = (): Promise<Bucket> => {
    opened ??= openBucket(settings);
    return opened;
  };

  /** Removes a version of an object or an upload. */
  async function remove(version: string): Promise<void> {
    const at = await bucket();
    await removeKeys(at, [at.object(version)]);
    await removeKeys(at, await at.list(at.upload(version)));
  }
  const intents = createIntentLog(intentDir, owners, remove);

  async function store(key: string, body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBody> {
    const at = await bucket();
    const { Upload } = await import('@aws-sdk/lib-storage');
    const cause = firstCause();
    const measured = measure(cause.watch(body), maxBytes);
    const upload = new Upload({
      client: at.client,
      params: { Bucket: at.name, Key: key, Body: Readable.from(measured.bytes, { objectMode: false }) },
      // The SDK buffers up to twice this size.
      partSize: Math.max(minMultipartBytes, Math.ceil(maxBytes / maxMultipartParts)),
      queueSize: 1,
      // If `leavePartsOnError` were false, the SDK would abort the upload after an error, and a failure of this abort
      // would hide the original error.
      leavePartsOnError: true,
    });
    try {
      await upload.done();
    } catch (error) {
      if (upload.uploadId !== undefined) await at.abort(key, upload.uploadId);
      throw cause.of(error);
    }
    return measured.result();
  }

  return {
    announce: (versions) => intents.open(versions),

    async write(version, body, maxBytes) {
      return store((await bucket()).object(version), body, maxBytes);
    },

    async writePart(upload, partId, body, maxBytes) {
      return store((await bucket()).part(upload, partId), body, maxBytes);
    },

    async assemble(upload, parts, version) {
      const at = await bucket();
      const whole = await assembleInS3(at, { upload, parts, version }, (bytes, maxBytes) =>
        store(at.object(version), bytes, maxBytes),
      );
      return whole ? describeParts(parts) : undefined;
    },

    multipart: createMultipart(bucket),

    async removeParts(upload, partIds) {
      const at = await bucket();
      await removeKeys(
        at,
        partIds.map((id) => at.part(upload, id)),
      );
    },

    async copy(fromVersion, toVersion) {
      if (!isVersion(fromVersion)) return undefined;
      const at = await bucket();
      const source = await open(at, fromVersion);
      if (!source) return undefined;
      if (source.sizeBytes > maxCopyBytes)
        return store(at.object(toVersion), (await source.read()) as Readable, source.sizeBytes);
      await source.close();
      const copied = await at.copy(at.object(fromVersion), at.object(toVersion));
      return copied && { sizeBytes: source.sizeBytes, ...copied };
    },

    async open(version) {
      return isVersion(version) ? open(await bucket(), version) : undefined;
    },

    async downloadUrl(version, headers, nowMs) {
      if (!isVersion(version)) return undefined;
      const at = await bucket();
      const endpoint = settings.public_endpoint ?? settings.endpoint;
      return presignGet({
        url: objectUrl({ ...settings, endpoint }, at.object(version)),
        region: settings.region,
        credentials: await at.client.config.credentials(),
        signedAtMs: Math.floor(nowMs / urlPeriodMs) * urlPeriodMs,
        lifetimeSeconds: (2 * urlPeriodMs) / 1000,
        headers,
      });
    },

    async recover(findLiving) {
      await owners.renew();
      let settledIntents = 0;
      let removedVersions = 0;
      for await (const intent of intents.leftOver()) {
        const living = await findLiving(intent.versions);
        for (const version of intent.versions) {
          if (living.has(version)) continue;
          await remove(version);
          removedVersions += 1;
        }
        await intent.close();
        settledIntents += 1;
      }
      return { settledIntents, removedVersions };
    },

    async sweep(options) {
      return sweepS3(await bucket(), options);
    },

    async close() {
      await intents.close();
      await owners.close();
      const at = await opened?.catch(() => undefined);
      at?.client.destroy();
    },
  };
}

/**
 * Opens an object by requesting all of its bytes. If the caller then reads only a range, another request fetches the
 * range.
 */
async function open(at: Bucket, version: string): Promise<OpenBody | undefined> {
  const key = at.object(version);
  const whole = await get(at, key);
  if (!whole) return undefined;
  const body = whole.Body as Readable;
  // The stream's reader receives the stream's errors. This listener ignores errors that occur after the body has been
  // discarded.
  body.on('error', () => undefined);
  const close = async (): Promise<void> => void body.destroy();
  return {
    sizeBytes: whole.ContentLength ?? 0,
    close,
    async read(range) {
      if (!range) return body;
      await close();
      const part = await get(at, key, `bytes=${range.start}-${range.end}`);
      if (!part) throw new Error('The object was removed while it was being read');
      return part.Body as Readable;
    },
  };
}

async function get(at: Bucket, key: string, range?: string): Promise<GetObjectCommandOutput | undefined> {
  const { GetObjectCommand } = await import('@aws-sdk/client-s3');
  try {
    return await at.client.send(new GetObjectCommand({ Bucket: at.name, Key: key, Range: range }));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Measures the size of a stream and computes its MD5. */
function measure(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): { bytes: AsyncIterable<Uint8Array>; result(): StoredBody } {
  const hash = createHash('md5');
  let sizeBytes = 0;
  return {
    bytes: (async function* () {
      for await (const chunk of body) {
        sizeBytes += chunk.byteLength;
        if (sizeBytes > maxBytes) throw new BodyTooLargeError();
        hash.update(chunk);
        yield chunk;
      }
    })(),
    result: () => ({ sizeBytes, etag: `"${hash.digest('hex')}"`, lastModified: new Date() }),
  };
}
