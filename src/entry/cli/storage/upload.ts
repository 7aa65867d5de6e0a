/** Uploads a file. Large files are uploaded in resumable pieces. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileType } from '../../../base/shared/http/media-type.ts';
import { CommandError } from '../errors.ts';
import { objectPath, type StorageApi, StorageResponseError } from './api.ts';

export interface Upload {
  readonly file: string;
  readonly bucket: string;
  readonly key: string;
  /** Whether an existing object is replaced. */
  readonly upsert: boolean;
  readonly cacheControl: string;
  /** The media type. Detected if undefined. */
  readonly contentType?: string | undefined;
}

/** Hosted projects require that the pieces have exactly this size. */
const pieceBytes = 6 * 1024 * 1024;
const maxAttempts = 5;
const sniffedBytes = 512;

/** Uploads a file. @throws {CommandError} */
export async function uploadFile(
  api: StorageApi,
  upload: Upload,
  {
    onBytes,
    signal,
  }: { readonly onBytes: (bytes: number) => void; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const path = objectPath(upload.bucket, upload.key);
  const handle = await openFile(upload.file);
  try {
    const { size } = await handle.stat();
    const head = (await handle.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0)).buffer;
    const contentType = upload.contentType ?? fileType(upload.file, head.subarray(0, size));
    const seconds = /^max-age=(\d+)$/.exec(upload.cacheControl)?.[1];
    // Uses a resumable upload only if the Cache-Control header contains only `max-age`, because the resumable protocol
    // has no field for other values.
    if (size > pieceBytes && seconds !== undefined) {
      const resumable = { ...upload, contentType, seconds, size };
      return await uploadPieces(api, handle, resumable, { onBytes, signal });
    }
    await api.request('POST', `/object/${path}`, {
      headers: {
        'content-type': contentType,
        'cache-control': upload.cacheControl,
        ...(upload.upsert ? { 'x-upsert': 'true' } : {}),
      },
      body:
        size > pieceBytes
          ? (Readable.toWeb(createReadStream(upload.file)) as ReadableStream<Uint8Array>)
          : new Uint8Array(await readPiece(handle, upload.file, 0, size)),
      signal,
    });
    onBytes(size);
  } finally {
    await handle.close();
  }
}

interface Resumable extends Upload {
  readonly contentType: string;
  readonly seconds: string;
  readonly size: number;
}

async function uploadPieces(
  api: StorageApi,
  handle: FileHandle,
  upload: Resumable,
  {
    onBytes,
    signal,
  }: { readonly onBytes: (bytes: number) => void; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { size, file, upsert } = upload;
  const tus = { 'tus-resumable': '1.0.0', ...(upsert ? { 'x-upsert': 'true' } : {}) };
  const created = await api.request('POST', '/upload/resumable', {
    headers: { ...tus, 'upload-length': String(size), 'upload-metadata': tusMetadata(upload) },
    signal,
  });
  const url = api.uploadUrl(created.headers.get('location') ?? '');
  let attempt = 1;
  for (let offset = 0; offset < size; ) {
    const piece = await readPiece(handle, file, offset, Math.min(pieceBytes, size - offset));
    let next: number;
    try {
      const response = await api.request('PATCH', url, {
        headers: {
          ...tus,
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body: new Uint8Array(piece),
        signal,
      });
      next = offsetOf(response);
      attempt = 1;
    } catch (error) {
      if (attempt >= maxAttempts || signal?.aborted === true || !isTemporary(error)) throw error;
      await sleep(250 * 2 ** attempt, undefined, { signal });
      attempt += 1;
      next = await storedBytes(api, url, tus, signal).catch(() => offset);
    }
    onBytes(next - offset);
    offset = next;
  }
}

async function storedBytes(
  api: StorageApi,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<number> {
  return offsetOf(await api.request('HEAD', url, { headers, signal }));
}

function offsetOf(response: Response): number {
  const offset = response.headers.get('upload-offset') ?? '';
  if (/^\d+$/.test(offset)) return Number(offset);
  throw new CommandError('Storage: the response to a resumable upload has no Upload-Offset header.');
}

/**
 * Whether a retry can succeed. True if the connection was lost, or if the server failed, was overloaded or was still
 * processing another request of the upload.
 */
function isTemporary(error: unknown): boolean {
  return (
    !(error instanceof StorageResponseError) || error.status >= 500 || [409, 423, 429].includes(error.status)
  );
}

function tusMetadata({ bucket, key, contentType, seconds }: Resumable): string {
  const fields = { bucketName: bucket, objectName: key, contentType, cacheControl: seconds };
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

async function openFile(file: string): Promise<FileHandle> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CommandError(`The file ${file} doesn't exist.`);
    throw error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new CommandError(`${file} isn't a file.`, 'To upload a folder, use --recursive.');
}

async function readPiece(handle: FileHandle, file: string, start: number, bytes: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(bytes);
  for (let filled = 0; filled < bytes; ) {
    const { bytesRead } = await handle.read(piece, filled, bytes - filled, start + filled);
    if (bytesRead === 0) throw new CommandError(`${file} became shorter while it was uploaded.`);
    filled += bytesRead;
  }
  return piece;
}
