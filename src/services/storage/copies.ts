/** Copies an object. The copy has the same bytes as the original, but a different key and a new version. */
import { randomUUID } from 'node:crypto';
import { storing } from './backend-errors.ts';
import { change } from './changes.ts';
import type { StorageContext } from './context.ts';
import { BytesMissingError } from './errors.ts';
import type { ObjectAddress } from './object-address.ts';
import type { ObjectRow } from './queries/objects.ts';
import type { Owner, Scope } from './scope.ts';
import { type RowOptions, requireWritable, writeOf, writeRow } from './uploads.ts';

/** The target of a copy, and the data for its row. */
export interface Copy extends ObjectAddress, RowOptions {
  readonly source: ObjectRow;
  readonly owner: Owner;
  readonly metadata: Record<string, unknown>;
  readonly userMetadata: Record<string, unknown> | null | undefined;
}

/**
 * Copies an object.
 * @throws {StorageError} AccessDenied, KeyAlreadyExists, RelatedResourceNotFound
 * @throws {BytesMissingError}
 */
export async function copyObject(ctx: StorageContext, scope: Scope, copy: Copy): Promise<ObjectRow> {
  await requireWritable(scope, copy);
  const version = randomUUID();
  return change(ctx, [version], async (change) => {
    const stored = await storing(() => ctx.backend.copy(copy.source.version ?? '', version));
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
