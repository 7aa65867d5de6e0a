/** Signs URLs with which clients can download an object from an S3 server for a limited time. */
import { encodePath, percentEncode } from '../s3/core/encoding.ts';
import {
  algorithm,
  canonicalRequest,
  createSigner,
  sha256Hex,
  unsignedPayload,
} from '../s3/core/signature.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface PresignedGet {
  /** The URL of the object without a query. */
  readonly url: URL;
  readonly region: string;
  readonly credentials: S3Credentials;
  readonly signedAtMs: number;
  readonly lifetimeSeconds: number;
  /** The response headers that S3 sends in place of the stored ones, by lowercase name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Returns the signed URL (AWS Signature Version 4, query string authentication). */
export function presignGet(get: PresignedGet): string {
  const { url, region, credentials, headers } = get;
  const amzDate = new Date(get.signedAtMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const date = amzDate.slice(0, 8);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const pairs: [string, string | undefined][] = [
    ['X-Amz-Algorithm', algorithm],
    ['X-Amz-Credential', `${accessKeyId}/${date}/${region}/s3/aws4_request`],
    ['X-Amz-Date', amzDate],
    ['X-Amz-Expires', String(get.lifetimeSeconds)],
    ['X-Amz-Security-Token', sessionToken],
    ['X-Amz-SignedHeaders', 'host'],
    ...Object.entries(headers).map(([name, value]): [string, typeof value] => [`response-${name}`, value]),
  ];
  const query = pairs.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const request = canonicalRequest({
    method: 'GET',
    path: url.pathname,
    query,
    headers: [['host', url.host]],
    payloadHash: unsignedPayload,
  });
  const credential = { accessKeyId, date, region, service: 's3' };
  const signature = createSigner(secretAccessKey, credential).sign(algorithm, amzDate, [sha256Hex(request)]);
  const search = [...query, { name: 'X-Amz-Signature', value: signature }]
    .map(({ name, value }) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join('&');
  return `${url.origin}${url.pathname}?${search}`;
}

interface S3Address {
  readonly bucket: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly force_path_style: boolean;
}

/** Returns the URL of an object, as the AWS SDK forms it. */
export function objectUrl({ bucket, endpoint, region, force_path_style }: S3Address, key: string): URL {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(endpoint ?? `https://s3.${region}.${domain}`);
  const base = url.pathname.replace(/\/+$/, '');
  // The certificate of an S3 server doesn't match host names in which the bucket contributes more than one label.
  const isInPath = force_path_style || bucket.includes('.');
  if (!isInPath) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${base}${isInPath ? `/${bucket}` : ''}/${encodePath(key)}`;
  return url;
}
