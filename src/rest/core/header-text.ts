/** Encodes text for response headers. */
import { canonicalQuery, type ScannedQuery } from './parse/query.ts';

const ASCII = /^[\x20-\x7e]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: header values can't contain these characters (RFC 9110 section 5.5)
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/g;

/**
 * Encodes a header value as bytes. Relation names can contain any text, including line feeds, so control characters are
 * percent-encoded.
 */
export const encodeHeader = (value: string): string =>
  ASCII.test(value)
    ? value
    : Buffer.from(value.replace(CONTROLS, encodeURIComponent), 'utf8').toString('latin1');

/** Decodes the value of a request header. Node decodes header values as Latin-1. */
export const decodeHeader = (value: string): string =>
  ASCII.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');

/**
 * The maximum length of the Content-Location header. Encoding can triple the length of a query, and clients reject
 * responses whose headers exceed 16 KiB. The header is optional, so it is omitted if it would be too long.
 */
const maxLocationBytes = 8 * 1024;

/** Returns the value of Content-Location, or undefined if it would be too long. */
export function contentLocation(name: string, query: ScannedQuery): string | undefined {
  const canonical = canonicalQuery(query);
  const location = encodeHeader(`/${name}${canonical === '' ? '' : `?${canonical}`}`);
  return location.length > maxLocationBytes ? undefined : location;
}
