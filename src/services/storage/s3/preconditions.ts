/** Evaluates the preconditions for replacing and copying objects. */
import { isNotModified, isPreconditionFailed } from '../core/conditions.ts';
import type { ObjectRow } from '../queries/objects.ts';
import type { WriteConditions } from '../uploads.ts';
import { S3Error } from './errors.ts';
import { describeObject } from './object-metadata.ts';
import { header, type S3Request } from './request.ts';

/**
 * Returns the conditions for a write. `If-None-Match: *` requires a new key, and `If-Match` requires the current
 * version. S3's conditional writes don't support any other value of `If-None-Match`.
 *
 * @throws {S3Error} NotImplemented
 */
export function writeConditions(request: S3Request): WriteConditions {
  const noneMatch = header(request, 'if-none-match');
  if (noneMatch !== undefined && noneMatch.trim() !== '*')
    throw new S3Error('NotImplemented', 'If-None-Match must be * here');
  const match = header(request, 'if-match');
  const precondition = (current: ObjectRow | undefined): void => {
    const fails = !current || isPreconditionFailed({ 'if-match': match }, describeObject(current));
    if (fails) throw new S3Error('PreconditionFailed');
  };
  return { upsert: noneMatch === undefined, precondition: match === undefined ? undefined : precondition };
}

/** Checks the conditions for the source of a copy. @throws {S3Error} PreconditionFailed */
export function requireCopyConditions(request: S3Request, source: ObjectRow): void {
  const current = describeObject(source);
  const condition = (name: string): string | undefined => header(request, `x-amz-copy-source-${name}`);
  const requested = {
    'if-match': condition('if-match'),
    'if-unmodified-since': condition('if-unmodified-since'),
    'if-none-match': condition('if-none-match'),
    'if-modified-since': condition('if-modified-since'),
  };
  if (isPreconditionFailed(requested, current) || isNotModified(requested, current))
    throw new S3Error('PreconditionFailed');
}
