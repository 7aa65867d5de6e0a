/** What goes into response headers, spelled so that a header can hold it. Pure. */
import { canonicalQuery, type ScannedQuery } from './parse/query.ts';

const ASCII = /^[\x20-\x7e]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header value may hold none (RFC 9110 section 5.5)
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/g;

/** Header values are bytes; names of relations may be any text, line feeds included: these are written as in a URL. */
export const encodeHeader = (value: string): string =>
  ASCII.test(value)
    ? value
    : Buffer.from(value.replace(CONTROLS, encodeURIComponent), 'utf8').toString('latin1');

/** What a client sent in a header, which Node hands over byte by byte. */
export const decodeHeader = (value: string): string =>
  ASCII.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');

/** Encoded again a long query triples, and clients refuse answers with 16 KiB of headers; this one is optional. */
const maxLocationBytes = 8 * 1024;

/** The value of Content-Location; undefined where it would be too long. */
export function contentLocation(name: string, query: ScannedQuery): string | undefined {
  const canonical = canonicalQuery(query);
  const location = encodeHeader(`/${name}${canonical === '' ? '' : `?${canonical}`}`);
  return location.length > maxLocationBytes ? undefined : location;
}
