/** Which object a read means, and whether its caller may have it. */
import { isValidKey } from './core/names.ts';
import { StorageError } from './errors.ts';
import { findObject, findObjectWithBucket, type ObjectRow } from './queries/objects.ts';
import type { Scope } from './scope.ts';
import type { ObjectAddress } from './uploads.ts';

/**
 * An object of a public bucket, for anybody.
 * @throws {StorageError} NoSuchBucket (also for a private one), InvalidKey, NoSuchKey
 */
export async function findPublicObject(scope: Scope, address: ObjectAddress): Promise<ObjectRow> {
  const found = await lookUp(scope, address);
  if (!found?.isPublic) throw new StorageError('NoSuchBucket');
  if (!found.object) throw new StorageError('NoSuchKey');
  return found.object;
}

/**
 * An object as the caller sees it: in a public bucket any, else what policies show.
 * @throws {StorageError} NoSuchBucket, InvalidKey, NoSuchKey (also for one that policies hide)
 */
export async function findCallersObject(scope: Scope, address: ObjectAddress): Promise<ObjectRow> {
  if (!scope.authenticated) return findPublicObject(scope, address);
  requireReadableName(address);
  const seen = await findObject(scope.eachAsUser(), address.bucketId, address.key);
  if (seen) return seen;
  const found = await lookUp(scope, address);
  if (!found) throw new StorageError('NoSuchBucket');
  if (!found.isPublic || !found.object) throw new StorageError('NoSuchKey');
  return found.object;
}

/** An object that a signed URL names. */
export async function findSignedObject(scope: Scope, address: ObjectAddress): Promise<ObjectRow> {
  requireReadableName(address);
  const object = await findObject(scope.eachAsService({ readOnly: true }), address.bucketId, address.key);
  if (!object) throw new StorageError('NoSuchKey');
  return object;
}

async function lookUp(scope: Scope, address: ObjectAddress): ReturnType<typeof findObjectWithBucket> {
  requireReadableName(address);
  return findObjectWithBucket(scope.eachAsService({ readOnly: true }), address.bucketId, address.key);
}

function requireReadableName(address: ObjectAddress): void {
  if (address.bucketId.includes('\0')) throw new StorageError('NoSuchBucket');
  if (!isValidKey(address.key)) throw new StorageError('InvalidKey', `Invalid key: ${address.key}`);
}
