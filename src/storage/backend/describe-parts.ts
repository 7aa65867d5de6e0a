/** Computes the properties of a multipart body from its parts. */
import { createHash } from 'node:crypto';
import type { Part, StoredBody } from './types.ts';

/** Returns S3's ETag of a multipart body: the MD5 of the parts' MD5s, and the number of parts. */
export function describeParts(parts: readonly Part[]): StoredBody {
  const hash = createHash('md5');
  let sizeBytes = 0;
  for (const part of parts) {
    hash.update(Buffer.from(part.etag.replaceAll('"', ''), 'hex'));
    sizeBytes += part.sizeBytes;
  }
  return { sizeBytes, etag: `"${hash.digest('hex')}-${parts.length}"`, lastModified: new Date() };
}
