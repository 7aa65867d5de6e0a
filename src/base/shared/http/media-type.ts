/**
 * Parses media types (RFC 9110, section 8.3.1). All code that handles media types uses this parser, which is stricter
 * than browsers. The parser rejects text that a browser could interpret in two ways.
 */
import { extname } from 'node:path';

interface MediaType {
  /** The type in lower case. `subtype` is also converted to lower case. */
  readonly type: string;
  readonly subtype: string;
}

const maxChars = 1024;

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// A quoted parameter value. Commas aren't allowed because some parsers split a header at every comma, even inside
// quotes.
const quoted = String.raw`"(?:[\t \x21\x23-\x2b\x2d-\x5b\x5d-\x7e]|\\[\t \x21-\x2b\x2d-\x7e])*"`;
const parameter = `${token}=(?:${token}|${quoted})`;
/** The pattern can match each space in only one way, so matching takes linear time. */
const shape = new RegExp(`^(${token})/(${token})(?:[\\t ]*;(?:[\\t ]*${parameter})?)*$`);

/**
 * Parses a media type. Returns undefined for any text that isn't exactly one media type, such as lists, control
 * characters, non-ASCII text and unclosed quotes.
 *
 * @example
 * parseMediaType('Image/PNG; q=1'); // { type: 'image', subtype: 'png' }
 * parseMediaType('image/png, text/xsl'); // undefined
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > maxChars) return undefined;
  const [, type, subtype] = shape.exec(text) ?? [];
  if (type === undefined || subtype === undefined) return undefined;
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase() };
}

/**
 * Families of media types that browsers play or render without running code. XML types are excluded, because browsers
 * treat them as documents.
 */
const inertFamilies: ReadonlySet<string> = new Set(['audio', 'font', 'video']);

const inertNames: ReadonlySet<string> = new Set([
  ...['apng', 'avif', 'bmp', 'gif', 'heic', 'heif', 'jpeg', 'jpg', 'png', 'tiff', 'webp'].map(
    (subtype) => `image/${subtype}`,
  ),
  ...['image/vnd.microsoft.icon', 'image/x-icon'],
  ...['text/css', 'text/csv', 'text/markdown', 'text/plain'],
  ...['application/gzip', 'application/json', 'application/octet-stream', 'application/zip'],
  // PDFs are included because Chromium and Firefox show them in a viewer that doesn't have the file's origin.
  'application/pdf',
]);

/**
 * Whether browsers display, play or download content of this type without running code. The response must include
 * `nosniff`, so browsers don't guess a different type. Types that aren't known to be inert are considered active.
 */
export function isInert({ type, subtype }: MediaType): boolean {
  if (inertNames.has(`${type}/${subtype}`)) return true;
  if (type === 'application') return subtype.endsWith('+json');
  return inertFamilies.has(type) && !subtype.endsWith('xml');
}

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
