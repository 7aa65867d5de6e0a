/**
 * Uploads a file to the storage service with a link that is signed for the file's path. If the service supports TUS
 * (version 1.0.0, "Core Protocol"), large files are sent in parts, and an interrupted upload can be resumed.
 */

import type { UploadLink } from './api.ts';

export interface SendOptions {
  readonly bucket: string;
  readonly path: string;
  readonly file: File;
  readonly link: UploadLink;
  readonly isResumable: boolean;
  readonly signal: AbortSignal;
  /** The URL at which an interrupted upload can be resumed. */
  readonly resumeAt?: string | undefined;
  readonly onProgress: (sentBytes: number) => void;
  /** Called with the URL at which the upload can be resumed. */
  readonly onUploadPath: (address: string) => void;
}

export class UploadFault extends Error {
  /** The HTTP status, or 0 if the server didn't respond. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Files up to this size are sent in one request, because several requests would take longer. */
const partBytes = 6 * 1024 * 1024;
const tusVersion = '1.0.0';

/** Uploads a file. @throws {UploadFault} */
export async function sendFile(options: SendOptions): Promise<void> {
  if (options.isResumable && options.file.size > partBytes) await sendInParts(options);
  else await sendWhole(options);
}

async function sendWhole({ file, link, signal, onProgress }: SendOptions): Promise<void> {
  await send({
    method: 'PUT',
    url: link.url,
    headers: { 'content-type': file.type || 'application/octet-stream' },
    body: file,
    signal,
    onProgress,
  });
}

async function sendInParts(options: SendOptions): Promise<void> {
  const { file, link, signal, onProgress, onUploadPath } = options;
  const addressOf = (path: string): string => new URL(path, link.url).href;
  const own = { 'tus-resumable': tusVersion, 'x-signature': link.token };
  let uploadPath = options.resumeAt;
  let offset = 0;
  if (uploadPath !== undefined) {
    const known = await offsetOf(addressOf(uploadPath), own, signal);
    if (known === undefined) uploadPath = undefined;
    else offset = known;
  }
  if (uploadPath === undefined) {
    const made = await send({
      method: 'POST',
      url: addressOf('/storage/v1/upload/resumable/sign'),
      headers: { ...own, 'upload-length': String(file.size), 'upload-metadata': metadataOf(options) },
      signal,
    });
    uploadPath = new URL(made.getResponseHeader('location') ?? '', link.url).pathname;
    onUploadPath(uploadPath);
  }
  onProgress(offset);
  while (offset < file.size) {
    const begin = offset;
    const response = await send({
      method: 'PATCH',
      url: addressOf(uploadPath),
      headers: {
        ...own,
        'upload-offset': String(begin),
        'content-type': 'application/offset+octet-stream',
      },
      body: file.slice(begin, begin + partBytes),
      signal,
      onProgress: (sent) => onProgress(begin + sent),
    });
    offset = Number(response.getResponseHeader('upload-offset') ?? file.size);
  }
}

/**
 * Returns the number of bytes that the server has received, or undefined if the upload no longer exists on the server.
 */
async function offsetOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const known = await send({ method: 'HEAD', url, headers, signal });
    return Number(known.getResponseHeader('upload-offset') ?? 0);
  } catch (error) {
    if (error instanceof UploadFault && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

/** Formats metadata as pairs of a name and a base64 value (TUS 1.0.0, "Upload-Metadata"). */
function metadataOf({ bucket, path, file }: SendOptions): string {
  const fields = {
    bucketName: bucket,
    objectName: path,
    contentType: file.type || 'application/octet-stream',
  };
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',');
}

const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob;
  readonly signal: AbortSignal;
  readonly onProgress?: (sentBytes: number) => void;
}

/** Uploads use XMLHttpRequest because fetch doesn't report upload progress. */
function send({ method, url, headers, body, signal, onProgress }: Request): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort);
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onProgress?.(loaded);
    request.onload = () => {
      if (request.status < 300) resolve(request);
      else reject(new UploadFault(request.status, messageOf(request.responseText)));
    };
    request.onerror = () => reject(new UploadFault(0, ''));
    request.onabort = () => reject(new DOMException('The upload was canceled.', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    request.send(body ?? null);
  });
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}
