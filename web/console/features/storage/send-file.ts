/**
 * Uploads a file to storage with a signed link for its path. If the service supports TUS (version 1.0.0, "Core
 * Protocol"), large files are sent in parts, and an interrupted upload resumes.
 */

import type { UploadLink } from './api.ts';

export interface SendOptions {
  readonly bucket: string;
  readonly path: string;
  readonly file: File;
  readonly link: UploadLink;
  readonly isResumable: boolean;
  readonly signal: AbortSignal;
  /** The address at which an interrupted upload resumes. */
  readonly resumeAt?: string | undefined;
  readonly onProgress: (sentBytes: number) => void;
  /** The address at which the upload can be resumed. */
  readonly onPlace: (address: string) => void;
}

export class UploadFault extends Error {
  /** 0 if no response arrived. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** For smaller files, the additional requests would cost more than sending parts would save. */
const partBytes = 6 * 1024 * 1024;
const tusVersion = '1.0.0';

/** @throws {UploadFault} */
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
  const { file, link, signal, onProgress, onPlace } = options;
  const addressOf = (path: string): string => new URL(path, link.url).href;
  const own = { 'tus-resumable': tusVersion, 'x-signature': link.token };
  let place = options.resumeAt;
  let offset = 0;
  if (place !== undefined) {
    const known = await offsetOf(addressOf(place), own, signal);
    if (known === undefined) place = undefined;
    else offset = known;
  }
  if (place === undefined) {
    const made = await send({
      method: 'POST',
      url: addressOf('/storage/v1/upload/resumable/sign'),
      headers: { ...own, 'upload-length': String(file.size), 'upload-metadata': metadataOf(options) },
      signal,
    });
    place = new URL(made.getResponseHeader('location') ?? '', link.url).pathname;
    onPlace(place);
  }
  onProgress(offset);
  while (offset < file.size) {
    const begin = offset;
    const answer = await send({
      method: 'PATCH',
      url: addressOf(place),
      headers: {
        ...own,
        'upload-offset': String(begin),
        'content-type': 'application/offset+octet-stream',
      },
      body: file.slice(begin, begin + partBytes),
      signal,
      onProgress: (sent) => onProgress(begin + sent),
    });
    offset = Number(answer.getResponseHeader('upload-offset') ?? file.size);
  }
}

/** Returns the offset that the server has received, or undefined if it no longer knows the upload. */
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

/** Prints names with base64 values (TUS 1.0.0, "Upload-Metadata"). */
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

/** Uses XMLHttpRequest, because fetch doesn't report upload progress. */
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
