/** Finds the object that a request reads, checks the caller's access, and handles concurrent replacements. */
import { isValidKey, type ObjectAddress } from './core/names.ts';
import { isMeant, type SignedClaims } from './core/tokens.ts';
import { BytesMissingError, StorageError } from './errors.ts';
import { findObject, findObjectWithBucket, type ObjectRow } from './queries/objects.ts';
import type { Scope } from './scope.ts';

/**
 * Finds an object in a public bucket for any caller.
 * @throws {StorageError} NoSuchBucket (also for a private bucket), InvalidKey, NoSuchKey
 */
export async function findPublicObject(scope: Scope, address: ObjectAddress): Promise<ObjectRow> {
  const found = await lookUp(scope, address);
  if (!found?.isPublic) throw new StorageError('NoSuchBucket');
  if (!found.object) throw new StorageError('NoSuchKey');
  return found.object;
}

/**
 * Finds an object that the caller can see. In a public bucket, every caller can see every object. In other buckets,
 * policies determine which objects the caller can see.
 * @throws {StorageError} NoSuchBucket, InvalidKey, NoSuchKey (also if policies hide the object)
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

/** Finds the object that a signed URL refers to. @throws {StorageError} InvalidKey, NoSuchKey */
export async function findSignedObject(
  scope: Scope,
  address: ObjectAddress,
  { objects }: Pick<SignedClaims, 'objects'>,
): Promise<ObjectRow> {
  const object = (await lookUp(scope, address))?.object;
  if (!object || !isMeant(objects, object)) throw new StorageError('NoSuchKey');
  return object;
}

/**
 * Calls `use` with an object and the object's bytes. If the object was replaced after its row was read, its bytes may
 * no longer exist. In this case, `use` is called again with the current row. Each retry requires another replacement,
 * so the number of retries is limited by the number of replacements.
 * @throws {BytesMissingError} if the row's version is unchanged, which is possible only if the row was written with SQL
 */
export async function withCurrentObject<T>(
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
  return findObjectWithBucket(scope, address.bucketId, address.key);
}

function requireReadableName(address: ObjectAddress): void {
  if (address.bucketId.includes('\0')) throw new StorageError('NoSuchBucket');
  if (!isValidKey(address.key)) throw new StorageError('InvalidKey', `Invalid key: ${address.key}`);
}
