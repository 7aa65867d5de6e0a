/** Determines the media type of a local file before an upload. */
import { extname } from 'node:path';

const typesByExtension: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xml': 'text/xml; charset=utf-8',
  '.zip': 'application/zip',
};

/**
 * Returns the media type for a file extension. If the extension is unknown, the first bytes determine whether the file
 * is text or binary.
 */
export function fileType(name: string, content: Uint8Array): string {
  const known = typesByExtension[extname(name).toLowerCase()];
  if (known !== undefined) return known;
  const looksLikeText = !content.subarray(0, 512).includes(0);
  return looksLikeText ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}
