/**
 * Authenticates requests with AWS Signature Version 4. A request signed with the project's key pair runs as the service
 * role. A request with a session token uses the project reference as its access key and the anonymous key as its
 * secret. Both are public. The token is a user's JWT, which determines access through row-level security.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import type { Operation } from '../operations.ts';
import { openScopeAs, type Scope } from '../scope.ts';
import type { ChunkSigner } from './core/aws-chunked.ts';
import {
  algorithm,
  type Credential,
  canonicalPaths,
  canonicalRequest,
  createSigner,
  isSignature,
  parseAmzDate,
  parseAuthorization,
  parseCredential,
  parseSignedHeaders,
  type Signer,
  sameSignature,
  sha256Hex,
  unsignedPayload,
} from './core/signature.ts';
import { S3Error } from './errors.ts';
import { header, type S3Request } from './request.ts';

/** The maximum difference between the time in a request and the server's time, as on AWS. */
const maxSkewMs = 15 * 60 * 1000;
/** The maximum lifetime of a presigned URL, seven days, as on AWS. */
const maxPresignSeconds = 7 * 24 * 60 * 60;
/** The project reference that the upstream CLI's local stack uses. */
const localReference = 'stub';

/** The signer of a request. */
interface Signatory {
  /** The user's JWT. Undefined if the project's key pair was used to sign the request. */
  readonly token: string | undefined;
  /** Whether the signature was created for use by another party, as in a presigned URL or a form policy. */
  readonly isPresigned: boolean;
}

export interface Authenticated extends Signatory {
  /** The value that was signed for the body: a hash, `UNSIGNED-PAYLOAD` or `STREAMING-…`. */
  readonly contentSha256: string;
  readonly chunkSigner: ChunkSigner;
}

interface Claim {
  readonly credential: Credential;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly amzDate: string;
  readonly token: string | undefined;
  readonly isPresigned: boolean;
  readonly contentSha256: string;
}

/**
 * Authenticates a request.
 * @throws {S3Error} MissingSignature, AuthorizationHeaderMalformed, AuthorizationQueryParametersError,
 * RequestTimeTooSkewed, RequestExpired, HeadersNotSigned, UnknownAccessKey, SignatureDoesNotMatch
 */
export function authenticate(ctx: StorageContext, request: S3Request): Authenticated {
  const claim = claimOf(ctx, request);
  requireSignedHeaders(request, claim.signedHeaders);
  for (const secret of secretsOf(ctx, claim.credential, claim.token)) {
    const signer = createSigner(secret, claim.credential);
    for (const hash of canonicalHashes(request, claim)) {
      const requested = signer.sign(algorithm, claim.amzDate, [hash]);
      if (!sameSignature(claim.signature, requested)) continue;
      return {
        token: claim.token,
        isPresigned: claim.isPresigned,
        contentSha256: claim.contentSha256,
        chunkSigner: {
          seed: requested,
          sign: (type, lines) => signer.sign(type, claim.amzDate, lines),
        },
      };
    }
  }
  throw new S3Error('SignatureDoesNotMatch');
}

/**
 * Verifies the signature of a single string, such as a form policy. Returns the user's JWT, or undefined if the
 * project's key pair was used to sign the string.
 */
export function authenticateText(
  ctx: StorageContext,
  signed: {
    readonly text: string;
    readonly credential: string | undefined;
    readonly signature: string | undefined;
    readonly token: string | undefined;
  },
): void {
  const credential = parseCredential(signed.credential ?? '');
  if (!credential || !isSignature(signed.signature ?? '')) throw new S3Error('MissingSignature');
  const matches = (signer: Signer): boolean =>
    sameSignature(signed.signature ?? '', signer.signText(signed.text));
  const secrets = secretsOf(ctx, credential, signed.token);
  if (!secrets.some((secret) => matches(createSigner(secret, credential))))
    throw new S3Error('SignatureDoesNotMatch');
}

function claimOf(ctx: StorageContext, request: S3Request): Claim {
  const authorization = header(request, 'authorization');
  if (authorization?.startsWith(`${algorithm} `)) return headerClaim(ctx, request, authorization);
  if (request.param('X-Amz-Signature') !== undefined) return queryClaim(ctx, request);
  throw new S3Error('MissingSignature');
}

function headerClaim(ctx: StorageContext, request: S3Request, authorization: string): Claim {
  const parsed = parseAuthorization(authorization);
  const amzDate = header(request, 'x-amz-date') ?? '';
  const at = parseAmzDate(amzDate);
  if (!parsed || at === undefined || !amzDate.startsWith(parsed.credential.date))
    throw new S3Error('AuthorizationHeaderMalformed');
  if (Math.abs(ctx.clock.now() - at) > maxSkewMs) throw new S3Error('RequestTimeTooSkewed');
  return {
    ...parsed,
    amzDate,
    token: header(request, 'x-amz-security-token'),
    isPresigned: false,
    contentSha256: header(request, 'x-amz-content-sha256') ?? unsignedPayload,
  };
}

function queryClaim(ctx: StorageContext, request: S3Request): Claim {
  const credential = parseCredential(request.param('X-Amz-Credential') ?? '');
  const signedHeaders = parseSignedHeaders(request.param('X-Amz-SignedHeaders') ?? '');
  const signature = request.param('X-Amz-Signature') ?? '';
  const amzDate = request.param('X-Amz-Date') ?? '';
  const at = parseAmzDate(amzDate);
  const expires = request.param('X-Amz-Expires') ?? '';
  const expiresSeconds = /^\d{1,7}$/.test(expires) ? Number(expires) : 0;
  const names = request.query.map(({ name }) => name).filter((name) => name.startsWith('X-Amz-'));
  if (
    request.param('X-Amz-Algorithm') !== algorithm ||
    !credential ||
    !signedHeaders ||
    !isSignature(signature) ||
    at === undefined ||
    !amzDate.startsWith(credential.date) ||
    expiresSeconds < 1 ||
    expiresSeconds > maxPresignSeconds ||
    new Set(names).size < names.length
  )
    throw new S3Error('AuthorizationQueryParametersError');
  const now = ctx.clock.now();
  if (at - now > maxSkewMs) throw new S3Error('RequestExpired', 'Request is not valid yet');
  if (now > at + expiresSeconds * 1000) throw new S3Error('RequestExpired');
  return {
    credential,
    signedHeaders,
    signature,
    amzDate,
    token: request.param('X-Amz-Security-Token'),
    isPresigned: true,
    contentSha256:
      request.param('X-Amz-Content-Sha256') ?? header(request, 'x-amz-content-sha256') ?? unsignedPayload,
  };
}

/**
 * Throws if a header that must be signed isn't signed, because such a header could be added in transit. The body's hash
 * is always part of the signed request.
 */
function requireSignedHeaders(request: S3Request, signedHeaders: readonly string[]): void {
  const missing = Object.keys(request.headers).filter(
    (name) =>
      (name === 'host' || name.startsWith('x-amz-')) &&
      name !== 'x-amz-content-sha256' &&
      !signedHeaders.includes(name),
  );
  if (missing.length > 0)
    throw new S3Error(
      'HeadersNotSigned',
      `There were headers present in the request which were not signed: ${missing.join(', ')}`,
    );
}

/**
 * Returns the secrets that may have been used to sign the request. The anonymous key exists in two formats, and clients
 * use both formats.
 */
function secretsOf(ctx: StorageContext, credential: Credential, token: string | undefined): string[] {
  const { keys } = ctx;
  if (credential.service !== 's3')
    throw new S3Error('AuthorizationHeaderMalformed', 'The service must be s3');
  if (token === undefined) {
    if (credential.accessKeyId === keys.s3.accessKeyId) return [keys.s3.secretAccessKey];
  } else if ([ctx.projectRef, localReference].includes(credential.accessKeyId)) {
    return [keys.anonKey, keys.publishableKey];
  }
  throw new S3Error('UnknownAccessKey');
}

/**
 * Returns the hashes of all forms of the request that the client may have used to create the signature. Clients encode
 * paths differently, and proxies change the host.
 */
function canonicalHashes(request: S3Request, claim: Claim): string[] {
  return hostsOf(request.headers).flatMap((host) =>
    canonicalPaths(request.path).map((path) =>
      sha256Hex(
        canonicalRequest({
          method: request.method,
          path,
          query: request.query,
          headers: claim.signedHeaders.map((name) => [name, signedValue(request, name, host)] as const),
          payloadHash: claim.contentSha256,
        }),
      ),
    ),
  );
}

function signedValue(request: S3Request, name: string, host: string): string {
  if (name === 'host') return host;
  // Some clients sign a content length of 0 but don't send the header itself.
  return header(request, name) ?? (name === 'content-length' ? '0' : '');
}

/**
 * Returns the host in the request's Host header and the host that a trusted proxy forwards. If neither host is correct,
 * the signature doesn't match.
 */
function hostsOf(headers: IncomingHttpHeaders): string[] {
  const own = headers.host ?? '';
  const forwarded = headers['x-forwarded-host'];
  if (typeof forwarded !== 'string' || forwarded === '') return [own];
  const port = headers['x-forwarded-port'];
  const withPort =
    typeof port === 'string' && !forwarded.includes(':') && port !== '80' && port !== '443'
      ? `${forwarded}:${port}`
      : forwarded;
  return [...new Set([own, forwarded, withPort])];
}

/**
 * Opens the database scope for the signer of a request.
 * @throws {S3Error} SecretKeyInBrowser
 * @throws {StorageError} AccessDenied
 */
export async function openSignedScope(
  ctx: StorageContext,
  request: FastifyRequest,
  operation: Operation,
  signatory: Signatory,
): Promise<Scope> {
  const { token } = signatory;
  if (token !== undefined) await ctx.keys.prepare(`Bearer ${token}`);
  const scope = openScopeAs(ctx, request, operation, token);
  if (!request.mayUseSecretKeys && showsSecretKey(ctx, scope, signatory))
    throw new S3Error('SecretKeyInBrowser');
  return scope;
}

/**
 * Whether the request proves that its sender has a secret key. A signer who uses the key pair knows the key pair's
 * secret, and a service role token is itself a secret key. URLs that were presigned with the key pair aren't proof,
 * because servers create such URLs for their pages. If the key pair is publicly known, such a URL is proof, because the
 * page may have created the URL itself.
 */
function showsSecretKey(
  { keys }: StorageContext,
  { role }: Scope,
  { token, isPresigned }: Signatory,
): boolean {
  if (role !== 'service_role') return false;
  return token !== undefined || !isPresigned || keys.s3.isWellKnown;
}
