/**
 * Implements AWS Signature Version 4 as used by S3. Builds the text to sign and computes its signature. See "Signing
 * AWS API requests" and "Authenticating Requests (AWS Signature Version 4)" in the S3 API reference.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { encodePath, percentDecode, percentEncode, type QueryPair } from './encoding.ts';

export const algorithm = 'AWS4-HMAC-SHA256';
export const unsignedPayload = 'UNSIGNED-PAYLOAD';
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** A credential, which consists of an access key ID and a scope such as `20261122/local/s3/aws4_request`. */
export interface Credential {
  readonly accessKeyId: string;
  /** The date in the form `20261122`. */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/**
 * Parses `ACCESS_KEY/20261122/region/s3/aws4_request`. Returns undefined if the credential is invalid. Access keys can
 * contain slashes.
 */
export function parseCredential(text: string): Credential | undefined {
  const parts = text.split('/');
  const [date, region, service, end] = parts.slice(-4);
  const accessKeyId = parts.slice(0, -4).join('/');
  if (accessKeyId === '' || end !== 'aws4_request' || !/^\d{8}$/.test(date ?? '')) return undefined;
  return { accessKeyId, date: date ?? '', region: region ?? '', service: service ?? '' };
}

/** The parts of the header `Authorization: AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. */
export interface SignedHeader {
  readonly credential: Credential;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

export function parseAuthorization(header: string): SignedHeader | undefined {
  if (!header.startsWith(`${algorithm} `)) return undefined;
  const fields = new Map<string, string>();
  for (const field of header.slice(algorithm.length + 1).split(',')) {
    const equals = field.indexOf('=');
    if (equals < 0) return undefined;
    fields.set(field.slice(0, equals).trim(), field.slice(equals + 1).trim());
  }
  const credential = parseCredential(fields.get('Credential') ?? '');
  const signedHeaders = parseSignedHeaders(fields.get('SignedHeaders') ?? '');
  const signature = fields.get('Signature') ?? '';
  return credential && signedHeaders && isSignature(signature)
    ? { credential, signedHeaders, signature }
    : undefined;
}

/** Parses the list of signed headers. Returns undefined unless the names are sorted, unique and in lower case. */
export function parseSignedHeaders(text: string): string[] | undefined {
  const names = text.split(';');
  const ordered = names.every(
    (name, index) => name !== '' && (index === 0 || (names[index - 1] ?? '') < name),
  );
  return ordered && text === text.toLowerCase() ? names : undefined;
}

export function isSignature(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/**
 * Parses a time such as `20261122T061237Z`. Returns milliseconds since the epoch, or undefined if the time is invalid.
 */
export function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? undefined : at;
}

export interface CanonicalParts {
  readonly method: string;
  /** The percent-encoded path. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  /** The pairs of name and value that are signed. The names are in lower case and sorted. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly payloadHash: string;
}

export function canonicalRequest(parts: CanonicalParts): string {
  const query = parts.query
    .filter(({ name }) => name !== 'X-Amz-Signature')
    .map(({ name, value }) => [percentEncode(name), percentEncode(value)] as const)
    .toSorted(([nameA, valueA], [nameB, valueB]) => order(nameA, nameB) || order(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return [
    parts.method,
    parts.path,
    query,
    ...parts.headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    parts.headers.map(([name]) => name).join(';'),
    parts.payloadHash,
  ].join('\n');
}

/**
 * Returns the two encodings of a path that clients use for signatures. The first encoding is the path in the request.
 * The second encoding is the re-encoded path, because some clients send unencoded characters but sign them in encoded
 * form.
 */
export function canonicalPaths(path: string): string[] {
  const decoded = percentDecode(path);
  const encoded = decoded === undefined ? path : encodePath(decoded);
  return encoded === path ? [path] : [path, encoded];
}

/** Creates signatures with a secret that is derived for one day and one region. */
export interface Signer {
  /**
   * Returns a signature in hexadecimal. `type` is the first line of the text to be signed, and `lines` contains its
   * last lines.
   */
  sign(type: string, amzDate: string, lines: readonly string[]): string;
  /** Signs a single string, such as the policy of a POST form. */
  signText(text: string): string;
}

export function createSigner(secretAccessKey: string, credential: Credential): Signer {
  const { date, region, service } = credential;
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, text) => hmac(secret, text),
    `AWS4${secretAccessKey}`,
  );
  const scope = `${date}/${region}/${service}/aws4_request`;
  const signText = (text: string): string => hmac(key, text).toString('hex');
  return {
    signText,
    sign: (type, amzDate, lines) => signText([type, amzDate, scope, ...lines].join('\n')),
  };
}

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Compares signatures in constant time. */
export function sameSignature(given: string, requested: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(requested)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
