/** Computes the size and ETag of a multipart body from its parts. */
import { createHash } from 'node:crypto';
import type { Part, StoredBody } from './types.ts';

/**
 * Returns the size and the S3 ETag of a multipart body. The ETag is computed from the MD5s of the parts and the number
 * of parts.
 */
export function describeParts(parts: readonly Part[]): StoredBody {
  const hash = createHash('md5');
  let sizeBytes = 0;
  for (const part of parts) {
    hash.update(Buffer.from(part.etag.replaceAll('"', ''), 'hex'));
    sizeBytes += part.sizeBytes;
  }
  return { sizeBytes, etag: `"${hash.digest('hex')}-${parts.length}"`, lastModified: new Date() };
}
