/** What PostgreSQL's refusals mean to a client of storage: SQLSTATE to error table. */
import type { PostgresErrorShape } from '../database/types.ts';
import { Refusal, StorageError } from './errors.ts';

export function isPostgresError(error: unknown): error is PostgresErrorShape {
  return (
    error instanceof Error && 'severity' in error && typeof (error as PostgresErrorShape).code === 'string'
  );
}

/**
 * True when the connection failed, so that nobody knows whether the transaction was committed: SQLSTATE classes 08
 * (connection) and 57P (the server went away), or anything that is no answer of PostgreSQL at all.
 */
export function leavesOutcomeOpen(error: unknown): boolean {
  if (error instanceof Refusal) return error.cause !== undefined && leavesOutcomeOpen(error.cause);
  return !isPostgresError(error) || isConnectionFailure(error);
}

function isConnectionFailure(error: PostgresErrorShape): boolean {
  return error.code.startsWith('08') || error.code.startsWith('57P');
}

/** Anything thrown while talking to the database, as an error of the table where there is one for it. */
export function translateDatabaseError(error: unknown): unknown {
  const cause = { cause: error };
  if (error instanceof Error && 'code' in error && error.code === 'pool_timeout') {
    return new StorageError('SlowDown', undefined, cause);
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
    case '55P03':
    // One of two that wait for each other, as moves of two objects to each other's names do.
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
      // NUL, which PostgreSQL's text and jsonb lack.
      return new StorageError('InvalidParameter', 'Text must not contain null characters', cause);
    case '42703':
    case '42P01':
      return new StorageError('DatabaseSchemaMismatch', undefined, cause);
    case '54000':
      // The only such limit a request can reach: an index entry holds at most 2704 bytes.
      return new StorageError('InvalidKey', 'Invalid key: it is too long', cause);
    case '53300':
      return new StorageError('SlowDown', undefined, cause);
    default:
      return new StorageError('DatabaseError', `database error, code: ${error.code}`, cause);
  }
}
