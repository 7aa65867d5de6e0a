/** Provides S3 clients for the storage test server, and manually signed requests. */
import { createHash, createHmac } from 'node:crypto';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { Claims } from '../../../src/platform/keys/index.ts';
import type { StorageServer } from '../server.ts';

export function s3Client(server: StorageServer, config: S3ClientConfig = {}): S3Client {
  const { accessKeyId, secretAccessKey, region } = server.keys.s3;
  return new S3Client({
    endpoint: `${server.url}/s3`,
    forcePathStyle: true,
    region,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    ...config,
  });
}

/** Returns a client in session mode whose token has these claims. */
export function s3Session(server: StorageServer, claims: Claims, secret = server.keys.anonKey): S3Client {
  return s3Client(server, {
    credentials: {
      accessKeyId: 'stub',
      secretAccessKey: secret,
      sessionToken: server.tokenOf(claims),
    },
  });
}

export interface HandSigned {
  readonly method?: string;
  /** The percent-encoded path below `/s3`. */
  readonly path: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array | string;
  /** The value that is signed for the body. Defaults to the body's hash. */
  readonly contentSha256?: string;
  /** The time of the signature in milliseconds since the epoch. */
  readonly at?: number;
  readonly secret?: string;
  readonly accessKeyId?: string;
  /** Headers that are sent but not signed. */
  readonly unsigned?: Record<string, string>;
}

export interface Signature {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly signature: string;
  readonly amzDate: string;
  sign(...lines: string[]): string;
}

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Signs a request with a second implementation of AWS Signature Version 4, which is independent of the server's
 * implementation.
 */
export function signByHand(server: StorageServer, request: HandSigned): Signature {
  const amzDate = new Date(request.at ?? Date.now()).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const date = amzDate.slice(0, 8);
  const url = new URL(`${server.url}/s3${request.path}${request.query ? `?${request.query}` : ''}`);
  const contentSha256 = request.contentSha256 ?? sha256(request.body ?? '');
  const headers: Record<string, string> = {
    host: url.host,
    'x-amz-content-sha256': contentSha256,
    'x-amz-date': amzDate,
    ...request.headers,
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    request.method ?? 'GET',
    url.pathname,
    (request.query ?? '')
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
      .toSorted()
      .join('&'),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    contentSha256,
  ].join('\n');
  const scope = `${date}/local/s3/aws4_request`;
  const secret = request.secret ?? server.keys.s3.secretAccessKey;
  const key = ['local', 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, date));
  const sign = (...lines: string[]): string => hmac(key, lines.join('\n')).toString('hex');
  const signature = sign('AWS4-HMAC-SHA256', amzDate, scope, sha256(canonical));
  const credential = `${request.accessKeyId ?? server.keys.s3.accessKeyId}/${scope}`;
  return {
    url: url.href,
    headers: {
      ...headers,
      ...request.unsigned,
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
    },
    signature,
    amzDate,
    sign: (type, ...lines) => sign(type ?? '', amzDate, scope, ...lines),
  };
}

export function sendByHand(server: StorageServer, request: HandSigned): Promise<Response> {
  const { url, headers } = signByHand(server, request);
  return fetch(url, {
    method: request.method ?? 'GET',
    headers,
    ...(request.body === undefined ? {} : { body: request.body as BodyInit }),
  });
}

/** Returns the error's `Code`, or the status of a successful response. */
export async function codeOf(response: Response | Promise<Response>): Promise<string | number> {
  const { status, text } = await Promise.resolve(response).then(async (one) => ({
    status: one.status,
    text: await one.text(),
  }));
  return /<Code>(.*?)<\/Code>/.exec(text)?.[1] ?? status;
}
