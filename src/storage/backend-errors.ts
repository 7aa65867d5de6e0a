/** Converts backend exceptions to entries of the error table. */
import { isFullDisk } from './backend/file-errors.ts';
import { BodyTooLargeError } from './backend/types.ts';
import { StorageError } from './errors.ts';

/** @throws {StorageError} EntityTooLarge, InsufficientSpace. Other errors are rethrown unchanged. */
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
