/**
 * Implements DeleteObject and DeleteObjects. Missing objects are reported as deleted. Objects that policies protect are
 * reported with the error AccessDenied.
 */

import { StorageError } from '../../errors.ts';
import { findObject, findVisibleNames } from '../../queries/objects.ts';
import { removeObjects } from '../../removals.ts';
import { readText } from '../body.ts';
import { childText, readXml } from '../core/read-xml.ts';
import { writeXml } from '../core/xml.ts';
import { S3Error } from '../errors.ts';
import { requireBucket, type S3Call, type S3Response } from '../operation.ts';

const maxDeletedKeys = 1000;

export async function deleteObject(call: S3Call): Promise<S3Response> {
  const { service: ctx, scope, request } = call;
  const deleted = await removeObjects(ctx, scope, request.bucket, [request.key]);
  if (deleted.length === 0) {
    await requireBucket(call);
    const hidden = await scope.asService((tx) => findObject(tx, request.bucket, request.key), {
      readOnly: true,
    });
    if (hidden) throw new StorageError('AccessDenied');
  }
  return { status: 204 };
}

export async function deleteObjects(call: S3Call): Promise<S3Response> {
  const { service: ctx, scope, auth, request } = call;
  const { keys, quiet } = readDelete(await readText(request, auth));
  await requireBucket(call);
  const deleted = await removeObjects(ctx, scope, request.bucket, keys);
  const gone = new Set(deleted.map(({ name }) => name));
  const rest = keys.filter((key) => !gone.has(key));
  const kept =
    rest.length === 0
      ? new Set<string>()
      : await scope.asService((tx) => findVisibleNames(tx, request.bucket, rest), { readOnly: true });
  return {
    xml: writeXml('DeleteResult', {
      Deleted: quiet ? [] : keys.filter((key) => !kept.has(key)).map((key) => ({ Key: key })),
      Error: keys
        .filter((key) => kept.has(key))
        .map((key) => ({ Key: key, Code: 'AccessDenied', Message: 'Access Denied' })),
    }),
  };
}

function readDelete(text: string): { keys: string[]; quiet: boolean } {
  const root = readXml(text);
  if (root?.name !== 'Delete') throw new S3Error('MalformedXML');
  const keys = root.children
    .filter(({ name }) => name === 'Object')
    .map((object) => childText(object, 'Key') ?? '');
  if (
    keys.length === 0 ||
    keys.length > maxDeletedKeys ||
    keys.some((key) => key === '' || key.includes('\0'))
  )
    throw new S3Error('MalformedXML', `The XML must list 1 to ${maxDeletedKeys} objects`);
  return { keys: [...new Set(keys)], quiet: childText(root, 'Quiet') === 'true' };
}
