/** Reads an object's bytes and checksum. */

import type { StorageContext } from '../context.ts';
import { isUuid } from '../core/names.ts';
import type { ByteRange } from '../core/range.ts';
import { BytesMissingError } from '../errors.ts';
import { findChecksum } from '../queries/checksums.ts';
import type { ObjectRow } from '../queries/objects.ts';
import type { S3Call } from './call.ts';
import { type ObjectChecksum, readChecksum } from './core/object-checksum.ts';

/**
 * Reads a version's bytes. The body is opened on the first read, because otherwise it would stay open if the request is
 * rejected before that.
 * @throws {BytesMissingError}
 */
export async function* readVersion(
  ctx: StorageContext,
  version: string,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const body = await ctx.backend.open(version);
  if (!body) throw new BytesMissingError();
  const bytes = await body.read(range);
  if (Buffer.isBuffer(bytes)) yield bytes;
  else yield* bytes;
}

/** Returns the object's stored checksum, if a checksum is stored. */
export async function checksumOf(
  { service: ctx }: S3Call,
  { version }: ObjectRow,
): Promise<ObjectChecksum | undefined> {
  // SQL statements can write any text to the version column of a row.
  if (!ctx.keepsChecksums || !isUuid(version ?? '')) return undefined;
  const kept = await findChecksum(ctx.database.pool('supabase_admin'), version ?? '');
  return kept && readChecksum(kept);
}
