/** A client for the storage API of the source or the target. The client authenticates with the service key. */
import { createHash } from 'node:crypto';
import { objectPath } from '../core/object-path.ts';
import { MigrateError } from '../errors.ts';
import type { StorageAccess } from '../types.ts';

export interface Download {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Undefined if the server doesn't send this header. */
  readonly sizeBytes: number | undefined;
}

export interface UploadOptions {
  readonly contentType: string;
  readonly cacheControl: string | undefined;
  readonly version: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface StorageApi {
  /** Downloads an object's body. Returns undefined if the object doesn't exist. */
  download(bucket: string, name: string, signal: AbortSignal | undefined): Promise<Download | undefined>;
  upload(
    bucket: string,
    name: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options: UploadOptions,
  ): Promise<void>;
  remove(bucket: string, names: readonly string[]): Promise<void>;
}

export function createStorageApi(end: string, { projectUrl, serviceKey }: StorageAccess): StorageApi {
  const base = `${projectUrl.replace(/\/+$/, '')}/storage/v1/object`;
  const headers = {
    authorization: `Bearer ${serviceKey}`,
    apikey: serviceKey,
    'accept-encoding': 'identity',
  };
  const send = async (path: string, init: RequestInit, subject: string): Promise<Response> => {
    const method = init.method ?? 'GET';
    const request = `${method} ${subject}`;
    try {
      // Redirects aren't followed, because a redirect could send the key to another server.
      return await fetch(`${base}/${path}`, {
        ...init,
        redirect: 'error',
        headers: { ...headers, ...(init.headers as Record<string, string>) },
      });
    } catch (error) {
      init.signal?.throwIfAborted();
      const { message, cause } = error as Error;
      const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
      throw new MigrateError('storage_rejected', { end, request, reason }, error);
    }
  };
  const rejected = async (response: Response, request: string): Promise<MigrateError> => {
    const text = (await response.text()).slice(0, 300);
    return new MigrateError('storage_rejected', { end, request, reason: `${response.status} ${text}` });
  };
  const pathOf = (bucket: string, name: string): string => {
    const path = objectPath(bucket, name);
    if (path === undefined) throw new Error(`${bucket}/${name} can't be part of a URL`);
    return path;
  };
  return {
    async download(bucket, name, signal) {
      const subject = `${bucket}/${name}`;
      const response = await send(
        `authenticated/${pathOf(bucket, name)}`,
        { ...(signal && { signal }) },
        subject,
      );
      if (!response.ok) {
        const failure = await rejected(response, `GET ${subject}`);
        // For missing objects, storage servers respond with status 400 and a body that contains 404.
        if (response.status === 404 || /"(not_found|NoSuchKey)"|"404"/.test(failure.message))
          return undefined;
        throw failure;
      }
      const length = response.headers.get('content-length');
      return {
        bytes: response.body ?? emptyBody(),
        sizeBytes: length === null || response.headers.has('content-encoding') ? undefined : Number(length),
      };
    },
    async upload(bucket, name, body, { contentType, cacheControl, version, signal }) {
      const subject = `${bucket}/${name}`;
      const isWhole = body instanceof Uint8Array;
      const response = await send(
        pathOf(bucket, name),
        {
          method: 'POST',
          headers: {
            'content-type': contentType,
            'x-upsert': 'true',
            ...(cacheControl === undefined ? {} : { 'cache-control': cacheControl }),
            ...(version === undefined ? {} : { 'x-object-version': version }),
          },
          // `fetch` accepts an asynchronous iterable, although the type of its parameter doesn't include this.
          body: body as unknown as BodyInit,
          ...(isWhole ? {} : { duplex: 'half' }),
          ...(signal && { signal }),
        } as RequestInit,
        subject,
      );
      if (!response.ok) throw await rejected(response, `POST ${subject}`);
      await response.arrayBuffer();
    },
    async remove(bucket, names) {
      const path = objectPath(bucket, 'x')?.slice(0, -2);
      if (path === undefined) throw new Error(`${bucket} can't be part of a URL`);
      const response = await send(
        path,
        {
          method: 'DELETE',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ prefixes: names }),
        },
        bucket,
      );
      if (!response.ok) throw await rejected(response, `DELETE ${bucket}`);
      await response.arrayBuffer();
    },
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** Returns the SHA-256 hash and the size of a body. */
export async function digestOf(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ sha256: string; sizeBytes: number }> {
  const sum = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sum.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sha256: sum.digest('hex'), sizeBytes };
}
