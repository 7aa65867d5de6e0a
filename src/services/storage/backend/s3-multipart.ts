/**
 * Stores bodies that arrive in parts over several requests as S3 multipart uploads. Unlike {@link ObjectBackend.write},
 * the caller keeps the upload's ID and its parts, so another process can continue.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Bucket, isAbsent } from './s3-bucket.ts';
import { describeParts, type MultipartBodies, type StoredBody } from './types.ts';

export function createMultipart(bucket: () => Promise<Bucket>): MultipartBodies {
  const sdk = () => import('@aws-sdk/client-s3');

  async function sizeOf(Key: string): Promise<number | undefined> {
    const [at, { HeadObjectCommand }] = [await bucket(), await sdk()];
    try {
      return (await at.client.send(new HeadObjectCommand({ Bucket: at.name, Key }))).ContentLength;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  return {
    async begin(version) {
      const [at, { CreateMultipartUploadCommand }] = [await bucket(), await sdk()];
      const { UploadId } = await at.client.send(
        new CreateMultipartUploadCommand({ Bucket: at.name, Key: at.object(version) }),
      );
      if (UploadId === undefined) throw new Error('The S3 server returned no upload ID');
      return UploadId;
    },

    async put({ version, uploadId }, number, bytes) {
      const [at, { UploadPartCommand }] = [await bucket(), await sdk()];
      const { ETag } = await at.client.send(
        new UploadPartCommand({
          Bucket: at.name,
          Key: at.object(version),
          UploadId: uploadId,
          PartNumber: number,
          Body: bytes,
          ContentLength: bytes.byteLength,
        }),
      );
      return ETag ?? '';
    },

    async complete({ version, uploadId }, parts) {
      const [at, { CompleteMultipartUploadCommand }] = [await bucket(), await sdk()];
      const Key = at.object(version);
      const described = describeParts(parts);
      try {
        await at.client.send(
          new CompleteMultipartUploadCommand({
            Bucket: at.name,
            Key,
            UploadId: uploadId,
            MultipartUpload: {
              Parts: parts.map(({ number, s3Etag }) => ({ PartNumber: number, ETag: s3Etag })),
            },
          }),
        );
      } catch (error) {
        // An earlier attempt may have completed the upload, even if its response was lost.
        if ((await sizeOf(Key)) === described.sizeBytes) return described;
        if (error instanceof Error && error.name === 'NoSuchUpload') return undefined;
        throw error;
      }
      return described;
    },

    async empty(version): Promise<StoredBody> {
      const [at, { PutObjectCommand }] = [await bucket(), await sdk()];
      const Body = new Uint8Array();
      await at.client.send(new PutObjectCommand({ Bucket: at.name, Key: at.object(version), Body }));
      const etag = `"${createHash('md5').update(Body).digest('hex')}"`;
      return { sizeBytes: 0, etag, lastModified: new Date() };
    },

    async abort({ version, uploadId }) {
      const at = await bucket();
      await at.abort(at.object(version), uploadId);
    },

    async putLoose(upload, id, bytes) {
      const [at, { PutObjectCommand }] = [await bucket(), await sdk()];
      await at.client.send(new PutObjectCommand({ Bucket: at.name, Key: at.part(upload, id), Body: bytes }));
    },

    async readLoose(upload, id) {
      const [at, { GetObjectCommand }] = [await bucket(), await sdk()];
      try {
        const { Body } = await at.client.send(
          new GetObjectCommand({ Bucket: at.name, Key: at.part(upload, id) }),
        );
        return Buffer.concat(await (Body as Readable).toArray());
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
  };
}
