/**
 * Returns a Content-Disposition header with a file name (RFC 6266). `filename` contains `_` for characters that a
 * client could misread there: characters outside ASCII, quotes, backslashes, and percent-encoding, which some clients
 * decode.
 * `filename*` contains the name as text (RFC 8187 section 3.2.1), and clients that support it prefer it.
 *
 * @example
 * attachment('Größe 1.txt'); // `attachment; filename="Gr__e 1.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%201.txt`
 */
export function attachment(name: string): string {
  const text = name.toWellFormed();
  const plain = text.replaceAll(/[^\x20-\x7e]|["\\]|%(?=[0-9a-f]{2})/giu, '_');
  const encoded = encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
