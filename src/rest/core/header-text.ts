/** What goes into response headers, spelled so that a header can hold it. Pure. */
import { canonicalQuery, type ScannedQuery } from './parse/query.ts';

const ASCII = /^[\x20-\x7e]*$/;

/** Header values are bytes; names of relations may be any text. */
export const encodeHeader = (value: string): string =>
  ASCII.test(value) ? value : Buffer.from(value, 'utf8').toString('latin1');

/** Encoded again a long query triples, and clients refuse answers with 16 KiB of headers; this one is optional. */
const maxLocationBytes = 8 * 1024;

/** The value of Content-Location; undefined where it would be too long. */
export function contentLocation(name: string, query: ScannedQuery): string | undefined {
  const canonical = canonicalQuery(query);
  const location = encodeHeader(`/${name}${canonical === '' ? '' : `?${canonical}`}`);
  return location.length > maxLocationBytes ? undefined : location;
}
