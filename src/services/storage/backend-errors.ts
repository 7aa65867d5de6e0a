/** Converts errors of the storage backend to errors from the error table. */
import { isFullDisk } from './backend/file-errors.ts';
import { BodyTooLargeError } from './backend/types.ts';
import { StorageError } from './errors.ts';

/**
 * Runs `work` and converts recognized errors. All other errors are rethrown unchanged.
 * @throws {StorageError} EntityTooLarge, InsufficientSpace
 */
export async function storing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BodyTooLargeError)
      throw new StorageError('EntityTooLarge', undefined, { cause: error });
    if (isFullDisk(error)) throw new StorageError('InsufficientSpace', undefined, { cause: error });
    throw error;
  }
}
