/**
 * Returns a Content-Disposition header with a file name (RFC 6266). Non-ASCII characters are encoded as in RFC 8187.
 */
export function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
