/** Response headers of an object, from what its row says. */
import { isInert, parseMediaType } from '../../kernel/media-type.ts';
import { isValidRobotsTag } from './robots-tag.ts';

/** `storage.objects.metadata`, as this server writes it; rows made by SQL may hold anything. */
export interface ObjectMetadata {
  readonly eTag?: string;
  readonly size?: number;
  readonly mimetype?: string;
  readonly cacheControl?: string;
  /** ISO date. */
  readonly lastModified?: string;
  readonly contentLength?: number;
  readonly httpStatusCode?: number;
  readonly xRobotsTag?: string;
}

/** What is usable in a row's metadata: each field only if it has its type. */
export function readObjectMetadata(value: unknown): ObjectMetadata {
  if (typeof value !== 'object' || value === null) return {};
  const raw = value as Record<string, unknown>;
  return {
    eTag: typeof raw.eTag === 'string' && isHeaderText(raw.eTag) ? raw.eTag : undefined,
    size: count(raw.size),
    mimetype: text(raw.mimetype),
    cacheControl: text(raw.cacheControl),
    lastModified: text(raw.lastModified),
    contentLength: count(raw.contentLength),
    xRobotsTag: text(raw.xRobotsTag),
  };
}

/** What objects are that don't say what they are, and those whose row holds something else than a media type. */
export const defaultType = 'application/octet-stream';

/** The stored type, judged again: SQL and other writers of the bucket may have written it. */
export function storedContentType({ mimetype = defaultType }: ObjectMetadata): string {
  return parseMediaType(mimetype) === undefined ? defaultType : mimetype;
}

/** HTML is shown as text, as upstream does. */
export function shownContentType(metadata: ObjectMetadata): string {
  const stored = storedContentType(metadata);
  const { type, subtype } = parseMediaType(stored) ?? {};
  return type === 'text' && subtype === 'html' ? 'text/plain' : stored;
}

/**
 * Documents among the objects load nothing. This goes beyond the sandbox that the gateway puts every document of a user's into
 * (`kernel/response-head.ts`). Inert types are left alone, since a policy keeps browsers from showing PDFs and playing media.
 */
export function documentPolicy(contentType: string): Readonly<Record<string, string>> {
  const type = parseMediaType(contentType);
  if (type !== undefined && isInert(type)) return {};
  return { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:" };
}

/**
 * `?download` is `attachment;`, `?download=name` adds the name in both spellings of RFC 6266.
 *
 * @example
 * contentDisposition('ä.txt'); // "attachment; filename=%C3%A4.txt; filename*=UTF-8''%C3%A4.txt"
 */
export function contentDisposition(download: string | undefined): string | undefined {
  if (download === undefined) return undefined;
  if (download === '') return 'attachment;';
  // Lone surrogates have no UTF-8 form; encodeURIComponent would throw on them.
  const name = encodeURIComponent(download.toWellFormed());
  return `attachment; filename=${name}; filename*=UTF-8''${name}`;
}

/** The stored value; a client whose copy turned out stale may show it once more while it fetches ours. */
export function cacheControl(stored: string | undefined, clientCopyIsStale: boolean): string {
  const value = stored !== undefined && stored !== '' && isHeaderText(stored) ? stored : 'no-cache';
  return clientCopyIsStale ? `${value}, stale-while-revalidate=30` : value;
}

export function robotsTag(stored: string | undefined): string {
  return stored !== undefined && isHeaderText(stored) && isValidRobotsTag(stored) ? stored : 'none';
}

export function parseDate(value: string | undefined): Date | undefined {
  if (value === undefined) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Characters that may stand in a header value (RFC 9110, section 5.5), in the range that Node sends. */
export function isHeaderText(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
