/**
 * Detects the media type of a local file that has no declared type, for example when a bucket is seeded from a folder.
 * Checks the first bytes, then the extension, and finally whether the content is text or binary.
 */

const signatures: readonly (readonly [mimeType: string, hex: string, offset: number])[] = [
  ['image/png', '89504e470d0a1a0a', 0],
  ['image/jpeg', 'ffd8ff', 0],
  ['image/gif', '474946383761', 0],
  ['image/gif', '474946383961', 0],
  ['image/webp', '57454250', 8],
  ['image/avif', '6674797061766966', 4],
  ['image/bmp', '424d', 0],
  ['application/pdf', '255044462d', 0],
  ['application/zip', '504b0304', 0],
  ['application/gzip', '1f8b08', 0],
  ['audio/mpeg', '494433', 0],
  ['audio/wave', '57415645', 8],
  ['video/mp4', '66747970', 4],
  ['video/webm', '1a45dfa3', 0],
  ['font/woff', '774f4646', 0],
  ['font/woff2', '774f4632', 0],
];

const extensions: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  mov: 'video/quicktime',
  ogg: 'audio/ogg',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'text/xml; charset=utf-8',
};

/** Returns the media type of a file. `firstBytes` contains up to 512 bytes from the start of the file. */
export function detectContentType(fileName: string, firstBytes: Uint8Array): string {
  const head = Buffer.from(firstBytes.buffer, firstBytes.byteOffset, Math.min(firstBytes.byteLength, 512));
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  const byExtension = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
  // Office documents are ZIP archives, so their extension is more specific than their content.
  for (const [mimeType, hex, offset] of signatures) {
    if (head.toString('hex', offset, offset + hex.length / 2) === hex) {
      return mimeType === 'application/zip' ? (byExtension ?? mimeType) : mimeType;
    }
  }
  return byExtension ?? (head.includes(0) ? 'application/octet-stream' : 'text/plain; charset=utf-8');
}
