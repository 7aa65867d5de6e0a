/** What is known of a body in parts from its parts alone. */
import { createHash } from 'node:crypto';
import type { Part, StoredBody } from './types.ts';

/** S3's ETag of a body in parts: the MD5 of their MD5s, and their number. */
export function describeParts(parts: readonly Part[]): StoredBody {
  const hash = createHash('md5');
  let sizeBytes = 0;
  for (const part of parts) {
    hash.update(Buffer.from(part.etag.replaceAll('"', ''), 'hex'));
    sizeBytes += part.sizeBytes;
  }
  return { sizeBytes, etag: `"${hash.digest('hex')}-${parts.length}"`, lastModified: new Date() };
}
