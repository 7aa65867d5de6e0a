/** Which object a read means, whether its caller may have it, and what happens when it is replaced at that moment. */
import { isValidKey } from './core/names.ts';
import { isMeant } from './core/object-marks.ts';
import type { SignedClaims } from './core/signed-token.ts';
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

/** An object that a signed URL names and means. @throws {StorageError} InvalidKey, NoSuchKey */
export async function findSignedObject(
  scope: Scope,
  address: ObjectAddress,
  { objects }: Pick<SignedClaims, 'objects'>,
): Promise<ObjectRow> {
  requireReadableName(address);
  const object = await findObject(scope.eachAsService({ readOnly: true }), address.bucketId, address.key);
  if (!object || !isMeant(objects, object)) throw new StorageError('NoSuchKey');
  return object;
}

/** A row's version has no bytes. */
export class BytesMissingError extends StorageError {
  constructor() {
    super('NoSuchKey');
  }
}

/**
 * Does something with an object and its bytes. Those of a row that was read a moment ago are gone when it has been replaced
 * since; then `use` is called with the row as it is now. Each further try needs another replacement, so nobody can keep
 * this going without working as hard.
 *
 * @throws {BytesMissingError} for a row that keeps its version: SQL can make such
 */
export async function asItStands<T>(
  find: () => Promise<ObjectRow>,
  use: (object: ObjectRow) => Promise<T>,
): Promise<T> {
  for (let object = await find(); ; ) {
    try {
      return await use(object);
    } catch (error) {
      if (!(error instanceof BytesMissingError)) throw error;
      const { version } = object;
      object = await find();
      if (object.version === version) throw error;
    }
  }
}

async function lookUp(scope: Scope, address: ObjectAddress): ReturnType<typeof findObjectWithBucket> {
  requireReadableName(address);
  return findObjectWithBucket(scope.eachAsService({ readOnly: true }), address.bucketId, address.key);
}

function requireReadableName(address: ObjectAddress): void {
  if (address.bucketId.includes('\0')) throw new StorageError('NoSuchBucket');
  if (!isValidKey(address.key)) throw new StorageError('InvalidKey', `Invalid key: ${address.key}`);
}
