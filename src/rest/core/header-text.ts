/** Encodes text for response headers. Pure. */
import { canonicalQuery, type ScannedQuery } from './parse/query.ts';

const ASCII = /^[\x20-\x7e]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header value may hold none (RFC 9110 section 5.5)
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/g;

/**
 * Header values are bytes, but relation names can contain any text, including line feeds. Control characters are
 * percent-encoded.
 */
export const encodeHeader = (value: string): string =>
  ASCII.test(value)
    ? value
    : Buffer.from(value.replace(CONTROLS, encodeURIComponent), 'utf8').toString('latin1');

/** Decodes a request header, which Node provides as Latin-1. */
export const decodeHeader = (value: string): string =>
  ASCII.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');

/**
 * Encoding can triple a long query, and clients reject responses with more than 16 KiB of headers. This header is
 * optional.
 */
const maxLocationBytes = 8 * 1024;

/** Returns the value of Content-Location, or undefined if it would be too long. */
export function contentLocation(name: string, query: ScannedQuery): string | undefined {
  const canonical = canonicalQuery(query);
  const location = encodeHeader(`/${name}${canonical === '' ? '' : `?${canonical}`}`);
  return location.length > maxLocationBytes ? undefined : location;
}
