/** Evaluates conditional requests (RFC 9110 section 13). */

export interface Validators {
  /** The ETag in quotes, as sent to the client. */
  readonly etag: string | undefined;
  readonly lastModified: Date | undefined;
}

export interface ConditionHeaders {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-modified-since'?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly 'if-match'?: string | undefined;
  readonly 'if-unmodified-since'?: string | undefined;
}

/**
 * Whether the client's copy is current, so that the response has status 304. `If-None-Match` takes precedence over
 * `If-Modified-Since` (section 13.2.2).
 */
export function isNotModified(headers: ConditionHeaders, current: Validators): boolean {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return matchesEtag(noneMatch, current.etag);
  return notModifiedSince(headers['if-modified-since'], current.lastModified);
}

/**
 * Whether a precondition fails because the current version isn't the version that the client requires (status 412).
 * `If-Match` takes precedence over `If-Unmodified-Since`.
 */
export function isPreconditionFailed(headers: ConditionHeaders, current: Validators): boolean {
  const match = headers['if-match'];
  if (match !== undefined) return !matchesEtag(match, current.etag);
  const header = headers['if-unmodified-since'];
  if (header === undefined || current.lastModified === undefined) return false;
  const since = Date.parse(header);
  return !Number.isNaN(since) && wholeSeconds(current.lastModified) > since;
}

/**
 * Whether the `Range` header applies to the current version. True if the `If-Range` header is missing or identifies the
 * current version.
 */
export function isRangeCurrent(headers: ConditionHeaders, current: Validators): boolean {
  const ifRange = headers['if-range'];
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) return ifRange === current.etag;
  return current.lastModified !== undefined && Date.parse(ifRange) === wholeSeconds(current.lastModified);
}

function matchesEtag(header: string, etag: string | undefined): boolean {
  if (header.trim() === '*') return etag !== undefined;
  if (etag === undefined) return false;
  const own = opaque(etag);
  return header.split(',').some((candidate) => opaque(candidate.trim()) === own);
}

/**
 * Returns the ETag without the parts that a weak comparison ignores. Weak comparisons ignore `W/` and, as in S3,
 * missing quotes.
 */
function opaque(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
}

function notModifiedSince(header: string | undefined, lastModified: Date | undefined): boolean {
  if (header === undefined || lastModified === undefined) return false;
  const since = Date.parse(header);
  // HTTP dates don't contain milliseconds, so the object's milliseconds are dropped before the comparison.
  return !Number.isNaN(since) && wholeSeconds(lastModified) <= since;
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
