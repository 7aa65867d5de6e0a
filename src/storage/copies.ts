/** Copies an object: the same bytes under another key with a new version. */
import { randomUUID } from 'node:crypto';
import { storing } from './backend-errors.ts';
import { change } from './changes.ts';
import { BytesMissingError } from './errors.ts';
import type { ObjectAddress } from './object-address.ts';
import type { ObjectRow } from './queries/objects.ts';
import type { Owner, Scope } from './scope.ts';
import type { StorageService } from './service.ts';
import { type RowOptions, requireWritable, writeOf, writeRow } from './uploads.ts';

/** The target and the row data of the copy. */
export interface Copy extends ObjectAddress, RowOptions {
  readonly source: ObjectRow;
  readonly owner: Owner;
  readonly metadata: Record<string, unknown>;
  readonly userMetadata: Record<string, unknown> | null | undefined;
}

/** @throws {StorageError} AccessDenied, KeyAlreadyExists, RelatedResourceNotFound @throws {BytesMissingError} */
export async function copyObject(service: StorageService, scope: Scope, copy: Copy): Promise<ObjectRow> {
  await requireWritable(scope, copy);
  const version = randomUUID();
  return change(service, [version], async (change) => {
    const stored = await storing(() => service.backend.copy(copy.source.version ?? '', version));
    if (!stored) throw new BytesMissingError();
    const metadata = {
      ...copy.metadata,
      eTag: stored.etag,
      lastModified: stored.lastModified.toISOString(),
    };
    change.committing();
    return writeRow(scope, copy, writeOf(copy, version, metadata, copy.userMetadata), change.giveUp);
  });
}
