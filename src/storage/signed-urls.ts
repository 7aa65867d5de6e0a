/** Creates and verifies signed URLs for downloads and uploads. */
import type { IncomingHttpHeaders } from 'node:http';
import { checkToken } from './core/check-token.ts';
import { isMeant, marksOf, ownerMarks } from './core/object-marks.ts';
import {
  downloadClaims,
  isValidExpiry,
  readSignedClaims,
  type SignedClaims,
  type SignedScope,
  uploadClaims,
} from './core/signed-token.ts';
import { printTransform, type Transform } from './core/transform.ts';
import { parseMetadataHeader } from './core/user-metadata.ts';
import { StorageError } from './errors.ts';
import type { ObjectAddress } from './object-address.ts';
import { findObject, findVisibleObjects } from './queries/objects.ts';
import { type Scope, serviceRole } from './scope.ts';
import type { StorageService } from './service.ts';
import { type Precondition, requireKey, requireWritable } from './uploads.ts';

/** The lifetime of upload links is two hours, as on the hosted service. */
const uploadUrlSeconds = 2 * 60 * 60;

/** @throws {StorageError} InvalidParameter, InvalidKey, NoSuchKey */
export async function signDownloadUrl(
  service: StorageService,
  scope: Scope,
  address: ObjectAddress,
  expiresInSeconds: number,
  transform: Transform = {},
): Promise<string> {
  requireExpiry(service, expiresInSeconds);
  requireKey(address.key);
  const found = await scope.asUser((tx) => findObject(tx, address.bucketId, address.key));
  if (!found) throw new StorageError('NoSuchKey');
  const transformations = service.renderer ? printTransform(transform) : '';
  return downloadUrl(service, `${address.bucketId}/${address.key}`, expiresInSeconds, {
    transformations,
    objects: reachOf(scope, marksOf(found)),
  });
}

export interface SignedPath {
  readonly error: string | null;
  readonly path: string;
  readonly signedURL: string | null;
}

/** Returns one result per path. For objects that the caller can't see, the result has an error and no URL. */
export async function signDownloadUrls(
  service: StorageService,
  scope: Scope,
  bucketId: string,
  paths: readonly string[],
  expiresInSeconds: number,
): Promise<SignedPath[]> {
  requireExpiry(service, expiresInSeconds);
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
    const signedURL = downloadUrl(service, `${bucketId}/${path}`, expiresInSeconds, { objects });
    return { error: null, path, signedURL };
  });
}

/** @throws {StorageError} the same errors as an upload by the caller */
export async function signUploadUrl(
  service: StorageService,
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
  const token = service.keys.signWithSecret(
    uploadClaims(url, { owner, upsert, objects }, nowSeconds(service), uploadUrlSeconds),
  );
  return { url: `/object/upload/sign/${url}?token=${token}`, token };
}

/** @throws {StorageError} InvalidJWT, InvalidSignature, ExpiredToken */
export function verifySignedUrl(
  service: StorageService,
  token: string,
  scope: SignedScope,
  address: ObjectAddress,
): SignedClaims {
  const verified = service.keys.verifySignedUrl(token);
  // A session token or an API key. Upstream also reports this error for a valid signature without a scope.
  if (!verified.ok && verified.reason === 'kind') {
    throw new StorageError('InvalidSignature', `Token is not scoped for ${scope}`);
  }
  const verdict = checkToken(verified, service.clock.now());
  if ('refusal' in verdict) throw new StorageError('InvalidJWT', verdict.refusal);
  const claims = readSignedClaims(verdict.claims, scope, `${address.bucketId}/${address.key}`);
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

/** Restricts what an upload link can replace. The returned function throws AccessDenied. */
export function replaceableBy({ objects }: SignedClaims): Precondition {
  return (current) => {
    if (current && !isMeant(objects, current)) throw new StorageError('AccessDenied');
  };
}

/**
 * The service role bypasses policies, so its links aren't bound to the objects that were visible when they were signed.
 */
const reachOf = ({ role }: Scope, marks: readonly string[]): readonly string[] | undefined =>
  role === serviceRole ? undefined : marks;

/** If the link includes a transformation, it uses the render path. */
function downloadUrl(
  service: StorageService,
  url: string,
  expiresInSeconds: number,
  options: { readonly transformations?: string; readonly objects: SignedClaims['objects'] },
): string {
  const claims = downloadClaims(url, nowSeconds(service), expiresInSeconds, options);
  const place = (options.transformations ?? '') === '' ? 'object' : 'render/image';
  return `/${place}/sign/${url}?token=${service.keys.signWithSecret(claims)}`;
}

function requireExpiry(service: StorageService, expiresInSeconds: number): void {
  if (!isValidExpiry(expiresInSeconds, nowSeconds(service))) {
    throw new StorageError('InvalidParameter', 'Invalid Parameter expiresIn');
  }
}

function nowSeconds(service: StorageService): number {
  return Math.floor(service.clock.now() / 1000);
}
