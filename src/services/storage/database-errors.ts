/** Maps PostgreSQL errors to entries of the storage error table. The SQLSTATE determines the entry. */

import { isPostgresError } from '../../base/shared/errors.ts';
import type { PostgresErrorShape } from '../../platform/database/types.ts';
import { Rejection, StorageError } from './errors.ts';

/**
 * Whether the error leaves the transaction's outcome unknown because the connection failed. The outcome is unknown if
 * the SQLSTATE begins with 08 (connection) or 57P (server shutdown), or if the error isn't from PostgreSQL.
 */
export function leavesOutcomeOpen(error: unknown): boolean {
  if (error instanceof Rejection) return error.cause !== undefined && leavesOutcomeOpen(error.cause);
  return !isPostgresError(error) || isConnectionFailure(error);
}

function isConnectionFailure(error: PostgresErrorShape): boolean {
  return error.code.startsWith('08') || error.code.startsWith('57P');
}

/** Converts a database error to an entry of the error table. Returns any other error unchanged. */
export function translateDatabaseError(error: unknown): unknown {
  const cause = { cause: error };
  if (error instanceof Error && 'code' in error && error.code === 'pool_timeout') {
    return new StorageError('SlowDown', undefined, cause);
  }
  if (error instanceof Error && 'code' in error && error.code === 'pool_full') {
    return new StorageError('TooManyWaiting', undefined, cause);
  }
  if (!isPostgresError(error)) return error;
  if (isConnectionFailure(error)) return new StorageError('DatabaseUnavailable', undefined, cause);
  switch (error.code) {
    case '42501':
      return new StorageError(
        'AccessDenied',
        error.message.includes('row-level security')
          ? 'new row violates row-level security policy'
          : error.message,
        cause,
      );
    case '23505':
      return new StorageError('ResourceAlreadyExists', undefined, cause);
    case '23503':
      if (!error.detail?.includes('is still referenced from table')) {
        return new StorageError('RelatedResourceNotFound', undefined, cause);
      }
      if (error.constraint === 'objects_bucketId_fkey')
        return new StorageError('BucketNotEmpty', undefined, cause);
      return new StorageError(
        'ResourceReferenced',
        error.constraint?.startsWith('s3_multipart_uploads')
          ? 'The bucket could not be updated because it is referenced by a pending multipart upload.'
          : undefined,
        cause,
      );
    case '23001':
      // Since PostgreSQL 18, this is the SQLSTATE if a row can't be removed because of a foreign key with RESTRICT.
      return new StorageError('ResourceReferenced', undefined, cause);
    case '55P03':
    // For example, two concurrent moves that swap the names of two objects cause a deadlock.
    case '40P01':
      return new StorageError('ResourceLocked', undefined, cause);
    case '57014':
      return new StorageError('DatabaseTimeout', undefined, cause);
    case '25006':
      return new StorageError('DatabaseReadOnly', undefined, cause);
    case '42P17':
      return new StorageError('DatabaseInvalidObjectDefinition', undefined, cause);
    case '22P02':
      return new StorageError('InvalidParameter', error.message, cause);
    case '22021':
    case '22P05':
      // PostgreSQL's text and jsonb types can't contain NUL characters.
      return new StorageError('InvalidParameter', 'Text must not contain null characters', cause);
    case '42703':
    case '42P01':
      return new StorageError('DatabaseSchemaMismatch', undefined, cause);
    case '54000':
      // The only limit with this SQLSTATE that a request can exceed is the maximum of 2704 bytes for an index entry.
      return new StorageError('InvalidKey', 'Invalid key: it is too long', cause);
    case '53300':
      return new StorageError('SlowDown', undefined, cause);
    default:
      return new StorageError('DatabaseError', `database error, code: ${error.code}`, cause);
  }
}
