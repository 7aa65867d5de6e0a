/**
 * Encodes text for header values. Node writes header strings as Latin-1 bytes and rejects characters above U+00FF, so
 * text must be encoded before it is sent.
 */
import { isUtf8 } from 'node:buffer';

const ASCII = /^[\x20-\x7e]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: header values can't contain these characters (RFC 9110 section 5.5)
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/g;

/**
 * Encodes a header value as UTF-8 bytes. Names in a database can contain any text, including line feeds, so control
 * characters are percent-encoded.
 */
export const encodeHeader = (value: string): string =>
  ASCII.test(value)
    ? value
    : Buffer.from(value.replace(CONTROLS, encodeURIComponent), 'utf8').toString('latin1');

/** Decodes the value of a request header. Node decodes header values as Latin-1. */
export const decodeHeader = (value: string): string =>
  ASCII.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');

/**
 * Returns the text of a response header that another server sent. The value is Latin-1 if it isn't valid UTF-8, because
 * old servers send Latin-1 (RFC 9110 section 5.5).
 */
export function headerText(value: string): string {
  if (ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/**
 * Returns a header value that Node accepts. Characters up to U+00FF stay unchanged if the value contains no others,
 * because they may already be the bytes of encoded text. Other text is percent-encoded instead of being encoded as
 * UTF-8, because Node would encode it again if the body is a string.
 */
export const sendableHeader = (value: string): string =>
  /[^\0-\xff]/.test(value)
    ? value.toWellFormed().replace(/[^\t\x20-\x7e]+/gu, encodeURIComponent)
    : value.replace(CONTROLS, encodeURIComponent);

/**
 * Percent-encodes the characters that a `Location` header can't contain (RFC 9110 section 10.2.2), as `http.Redirect`
 * of Go does. Existing percent-encoding stays unchanged.
 *
 * @example
 * encodeLocation('http://localhost:3000/日'); // 'http://localhost:3000/%E6%97%A5'
 */
export const encodeLocation = (url: string): string =>
  url.toWellFormed().replace(/[\0-\x20\x7f-\u{10ffff}]+/gu, encodeURIComponent);

/**
 * Returns a Content-Disposition header with a file name (RFC 6266). `filename` contains `_` for characters that a
 * client could misread there: characters outside ASCII, quotes, backslashes, and percent-encoding, which some clients
 * decode. `filename*` contains the name as text (RFC 8187 section 3.2.1), and clients that support it prefer it.
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
