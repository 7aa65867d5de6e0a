import { describe, expect, test } from 'vitest';
import { leavesOutcomeOpen, translateDatabaseError } from './database-errors.ts';
import { renderStorageError, StorageError, type StorageErrorName, storageErrors } from './errors.ts';

test.each([
  ['NoSuchBucket', 400, '404', 'Bucket not found', 'NoSuchBucket'],
  ['NoSuchKey', 400, '404', 'not_found', 'NoSuchKey'],
  ['KeyAlreadyExists', 400, '409', 'Duplicate', 'KeyAlreadyExists'],
  ['BucketNotEmpty', 400, '409', 'ResourceNotEmpty', 'ResourceNotEmpty'],
  ['AccessDenied', 400, '403', 'Unauthorized', 'AccessDenied'],
  ['EntityTooLarge', 400, '413', 'Payload too large', 'EntityTooLarge'],
  ['InvalidMimeType', 400, '415', 'invalid_mime_type', 'InvalidMimeType'],
  ['InvalidRange', 416, '416', 'invalid_range', 'InvalidRange'],
  ['InternalError', 500, '500', 'Internal', 'InternalError'],
  ['TooManyWaiting', 503, '503', 'too_many_connections', 'SlowDown'],
  ['SlowDown', 429, '429', 'too_many_connections', 'SlowDown'],
  ['DatabaseTimeout', 544, '544', 'DatabaseTimeout', 'DatabaseTimeout'],
  ['RelatedResourceNotFound', 400, '404', 'InvalidRequest', 'InvalidRequest'],
] satisfies [StorageErrorName, number, string, string, string][])(
  'the response to %s',
  (name, status, statusCode, error, code) => {
    const message = storageErrors[name].message;
    expect(renderStorageError(new StorageError(name))).toEqual({
      status,
      body: { statusCode, error, message, code },
    });
  },
);

function rejection(code: string, fields: Record<string, string> = {}): Error {
  return Object.assign(new Error(fields.message ?? 'refused'), { severity: 'ERROR', code, ...fields });
}

describe('rejections by the database', () => {
  test.each([
    [
      rejection('42501', { message: 'new row violates row-level security policy for table "objects"' }),
      'AccessDenied',
    ],
    [rejection('23505'), 'ResourceAlreadyExists'],
    [rejection('23503', { detail: 'Key is not present in table "buckets".' }), 'RelatedResourceNotFound'],
    [
      rejection('23503', {
        detail: 'is still referenced from table "objects"',
        constraint: 'objects_bucketId_fkey',
      }),
      'BucketNotEmpty',
    ],
    [
      rejection('23503', { detail: 'Key (id)=(1) is still referenced from table "files".' }),
      'ResourceReferenced',
    ],
    [rejection('23001', { detail: 'Key (id)=(1) is referenced from table "files".' }), 'ResourceReferenced'],
    [rejection('40P01'), 'ResourceLocked'],
    [rejection('57014'), 'DatabaseTimeout'],
    [rejection('53300'), 'SlowDown'],
    [rejection('08006'), 'DatabaseUnavailable'],
    [rejection('XX000'), 'DatabaseError'],
  ])('%o', (error, entry) => {
    expect(translateDatabaseError(error)).toMatchObject({ entry });
  });

  test('never contain PostgreSQL’s message, except for row-level security', () => {
    const shown = translateDatabaseError(rejection('XX000', { message: 'secret detail' })) as StorageError;
    expect(shown.message).toBe('database error, code: XX000');
    const policy = translateDatabaseError(
      rejection('42501', { message: 'row-level security for table "x"' }),
    ) as StorageError;
    expect(policy.message).toBe('new row violates row-level security policy');
  });

  test('the outcome is known after a response but not after a lost connection', () => {
    expect(leavesOutcomeOpen(translateDatabaseError(rejection('23505')))).toBe(false);
    expect(leavesOutcomeOpen(new StorageError('NoSuchKey'))).toBe(false);
    expect(leavesOutcomeOpen(translateDatabaseError(rejection('08006')))).toBe(true);
    expect(leavesOutcomeOpen(translateDatabaseError(rejection('57P01')))).toBe(true);
    expect(leavesOutcomeOpen(new Error('socket'))).toBe(true);
  });
});
