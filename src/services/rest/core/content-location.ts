/** Builds the `Content-Location` header. */
import { canonicalQuery, encodeText, type ScannedQuery } from './parse/query.ts';

/**
 * The maximum length of the Content-Location header. Encoding can triple the length of a query, and clients reject
 * responses whose headers exceed 16 KiB. The header is optional, so it is omitted if it would be too long.
 */
const maxLocationBytes = 8 * 1024;

/** Returns the value of Content-Location, or undefined if it would be too long. */
export function contentLocation(name: string, query: ScannedQuery): string | undefined {
  const canonical = canonicalQuery(query);
  const location = `/${encodeText(name)}${canonical === '' ? '' : `?${canonical}`}`;
  return location.length > maxLocationBytes ? undefined : location;
}
