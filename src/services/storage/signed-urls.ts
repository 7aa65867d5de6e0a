/** Creates and verifies signed URLs for downloads and uploads. */
import type { IncomingHttpHeaders } from 'node:http';
import type { StorageContext } from './context.ts';
import type { ObjectAddress } from './core/names.ts';
import {
  checkToken,
  downloadClaims,
  isMeant,
  isValidExpiry,
  marksOf,
  ownerMarks,
  readSignedClaims,
  type SignedClaims,
  type SignedScope,
  uploadClaims,
} from './core/tokens.ts';
import { printTransform, type Transform } from './core/transform.ts';
import { parseMetadataHeader } from './core/user-metadata.ts';
import { StorageError } from './errors.ts';
import { requireKey } from './object-limits.ts';
import { findObject, findVisibleObjects } from './queries/objects.ts';
import { type Scope, serviceRole } from './scope.ts';
import { type Precondition, requireWritable } from './write-object.ts';

/** The lifetime of upload links, which is two hours as on the hosted service. */
const uploadUrlSeconds = 2 * 60 * 60;

/** Signs a download URL. @throws {StorageError} InvalidParameter, InvalidKey, NoSuchKey, TenantFeatureNotEnabled */
export async function signDownloadUrl(
  ctx: StorageContext,
  scope: Scope,
  address: ObjectAddress,
  { expiresInSeconds, transform = {} }: { readonly expiresInSeconds: number; readonly transform?: Transform },
): Promise<string> {
  requireExpiry(ctx, expiresInSeconds);
  requireKey(address.key);
  const found = await scope.asUser((tx) => findObject(tx, address.bucketId, address.key));
  if (!found) throw new StorageError('NoSuchKey');
  const transformations = printTransform(transform);
  // Upstream then signs a URL of the original image. The client would take it for the transformed image.
  if (transformations !== '' && ctx.renderer === undefined) throw new StorageError('TenantFeatureNotEnabled');
  return downloadUrl(ctx, `${address.bucketId}/${address.key}`, expiresInSeconds, {
    transformations,
    objects: reachOf(scope, marksOf(found)),
  });
}

export interface SignedPath {
  readonly error: string | null;
  readonly path: string;
  readonly signedURL: string | null;
}

/**
 * Signs several URLs and returns one result per path. If the caller can't see an object, its result contains an error
 * and no URL.
 */
export async function signDownloadUrls(
  ctx: StorageContext,
  scope: Scope,
  { bucketId, paths }: { readonly bucketId: string; readonly paths: readonly string[] },
  expiresInSeconds: number,
): Promise<SignedPath[]> {
  requireExpiry(ctx, expiresInSeconds);
  const visible = await scope.asUser((tx) => findVisibleObjects(tx, bucketId, paths));
  return paths.map((path) => {
    const object = visible.get(path);
    if (!object)
      return {
        error: 'Either the object does not exist or you do not have access to it',
        path,
        signedURL: null,
      };
    const objects = reachOf(scope, marksOf(object));
    const signedURL = downloadUrl(ctx, `${bucketId}/${path}`, expiresInSeconds, { objects });
    return { error: null, path, signedURL };
  });
}

/** Signs an upload URL. @throws {StorageError} if an upload by the caller would throw the error too */
export async function signUploadUrl(
  ctx: StorageContext,
  scope: Scope,
  address: ObjectAddress,
  headers: IncomingHttpHeaders,
): Promise<{ url: string; token: string }> {
  requireKey(address.key);
  const upsert = headers['x-upsert'] === 'true';
  const metadataHeader = headers['x-metadata'];
  const length = headers['content-length'];
  await requireWritable(scope, {
    ...address,
    owner: scope.owner,
    upsert,
    metadata: {
      mimetype: headers['content-type'],
      contentLength: length === undefined ? undefined : Number(length),
    },
    userMetadata: parseMetadataHeader(typeof metadataHeader === 'string' ? metadataHeader : undefined),
  });
  const url = `${address.bucketId}/${address.key}`;
  const { ownerId } = scope.owner;
  const owner = ownerId ?? undefined;
  const replaced = await findObject(scope.eachAsService({ readOnly: true }), address.bucketId, address.key);
  const objects = reachOf(scope, [...(replaced ? marksOf(replaced) : []), ...ownerMarks(ownerId)]);
  const token = ctx.keys.signWithSecret(
    uploadClaims(url, { owner, upsert, objects }, nowSeconds(ctx), uploadUrlSeconds),
  );
  return { url: `/object/upload/sign/${url}?token=${token}`, token };
}

/** Verifies a signed URL and returns its claims. @throws {StorageError} InvalidJWT, InvalidSignature, ExpiredToken */
export function verifySignedUrl(
  ctx: StorageContext,
  token: string,
  scope: SignedScope,
  address: ObjectAddress,
): SignedClaims {
  const verified = ctx.keys.verifySignedUrl(token);
  // The token is a session token or an API key. Upstream reports the same error for every token that has a valid
  // signature but no scope.
  if (!verified.ok && verified.reason === 'kind') {
    throw new StorageError('InvalidSignature', `Token is not scoped for ${scope}`);
  }
  const result = checkToken(verified, ctx.clock.now());
  if ('refusal' in result) throw new StorageError('InvalidJWT', result.refusal);
  const claims = readSignedClaims(result.claims, scope, `${address.bucketId}/${address.key}`);
  switch (claims) {
    case 'scope':
      throw new StorageError('InvalidSignature', `Token is not scoped for ${scope}`);
    case 'url':
      throw new StorageError('InvalidSignature');
    case 'expiry':
      throw new StorageError('ExpiredToken');
    default:
      return claims;
  }
}

/**
 * Returns a function that checks whether an upload link can replace an object. The check throws AccessDenied if the
 * link isn't allowed to replace the object.
 */
export function replaceableBy({ objects }: SignedClaims): Precondition {
  return (current) => {
    if (current && !isMeant(objects, current)) throw new StorageError('AccessDenied');
  };
}

/**
 * Returns the object marks (`marksOf`) to which a link is bound. Links from the service role aren't bound
 * to objects, because this role bypasses policies.
 */
const reachOf = ({ role }: Scope, marks: readonly string[]): readonly string[] | undefined =>
  role === serviceRole ? undefined : marks;

/** Returns the download URL. A URL with a transformation uses the render path. */
function downloadUrl(
  ctx: StorageContext,
  url: string,
  expiresInSeconds: number,
  options: { readonly transformations?: string; readonly objects: SignedClaims['objects'] },
): string {
  const claims = downloadClaims(url, nowSeconds(ctx), expiresInSeconds, options);
  const place = (options.transformations ?? '') === '' ? 'object' : 'render/image';
  return `/${place}/sign/${url}?token=${ctx.keys.signWithSecret(claims)}`;
}

function requireExpiry(ctx: StorageContext, expiresInSeconds: number): void {
  if (!isValidExpiry(expiresInSeconds, nowSeconds(ctx))) {
    throw new StorageError('InvalidParameter', 'Invalid Parameter expiresIn');
  }
}

function nowSeconds(ctx: StorageContext): number {
  return Math.floor(ctx.clock.now() / 1000);
}
