/** Detects the image type of a logo from its first bytes, because file names aren't reliable. */

const svg = /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/;

/** Returns the media type, or undefined if browsers don't display the file as an image. */
export function pictureType(bytes: Buffer): string | undefined {
  const hex = bytes.subarray(0, 12).toString('hex');
  if (hex.startsWith('89504e470d0a1a0a')) return 'image/png';
  if (hex.startsWith('ffd8ff')) return 'image/jpeg';
  if (/^474946383[79]61/.test(hex)) return 'image/gif';
  if (/^52494646.{8}57454250$/.test(hex)) return 'image/webp';
  // The pattern also accepts a leading byte order mark, which `\s` matches in JavaScript.
  return svg.test(bytes.subarray(0, 4096).toString('utf8')) ? 'image/svg+xml' : undefined;
}
