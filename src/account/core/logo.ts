/** What kind of picture a logo is, told by its first bytes: names of files prove nothing. */

const signatures: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  [
    'image/svg+xml',
    /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/,
  ],
];

/** Its media type; undefined for what no browser shows as a picture. */
export function pictureType(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 4096).toString('latin1');
  return signatures.find(([, signature]) => signature.test(head))?.[0];
}
