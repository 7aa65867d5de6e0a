/** Access to an object's bytes and checksum. */

import { isUuid } from '../core/names.ts';
import type { ByteRange } from '../core/range.ts';
import { BytesMissingError } from '../errors.ts';
import { findChecksum } from '../queries/checksums.ts';
import type { ObjectRow } from '../queries/objects.ts';
import type { StorageService } from '../service.ts';
import type { S3Call } from './call.ts';
import { type ObjectChecksum, readChecksum } from './core/object-checksum.ts';

/**
 * Opens the body when it is first read, because a request rejected before that would never close it. @throws
 * {BytesMissingError}
 */
export async function* readVersion(
  service: StorageService,
  version: string,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const body = await service.backend.open(version);
  if (!body) throw new BytesMissingError();
  const bytes = await body.read(range);
  if (Buffer.isBuffer(bytes)) yield bytes;
  else yield* bytes;
}

/** Returns the object's stored checksum. */
export async function checksumOf(
  { service }: S3Call,
  { version }: ObjectRow,
): Promise<ObjectChecksum | undefined> {
  // The version of a row written by SQL can be any text.
  if (!service.keepsChecksums || !isUuid(version ?? '')) return undefined;
  const kept = await findChecksum(service.database.pool('supabase_admin'), version ?? '');
  return kept && readChecksum(kept);
}
