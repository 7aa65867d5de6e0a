/** Builds an object's response headers from its row, and validates those that a client stores with the object. */
import { attachment } from '../../../base/shared/http/header-text.ts';
import { isInert, parseMediaType } from '../../../base/shared/http/media-type.ts';

/**
 * The value that this server writes to `storage.objects.metadata`. Rows that clients wrote with SQL can contain any
 * value.
 */
export interface ObjectMetadata {
  readonly eTag?: string;
  readonly size?: number;
  readonly mimetype?: string;
  readonly cacheControl?: string;
  /** The time at which the object was last modified, as an ISO date. */
  readonly lastModified?: string;
  readonly contentLength?: number;
  readonly httpStatusCode?: number;
  readonly xRobotsTag?: string;
}

/** Returns only those metadata fields that have the expected type. */
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

/** The media type of objects whose stored type is missing or invalid. */
export const defaultType = 'application/octet-stream';

/** Returns the stored type if it is valid. SQL or other writers may have stored an invalid type. */
export function storedContentType({ mimetype = defaultType }: ObjectMetadata): string {
  return parseMediaType(mimetype) === undefined ? defaultType : mimetype;
}

/** Returns the type for the response. As in upstream, HTML is served as plain text. */
export function shownContentType(metadata: ObjectMetadata): string {
  const stored = storedContentType(metadata);
  const { type, subtype } = parseMediaType(stored) ?? {};
  return type === 'text' && subtype === 'html' ? 'text/plain' : stored;
}

/**
 * Returns a content security policy that prevents stored documents from loading resources. The gateway additionally
 * applies a sandbox to all user documents (`shared/http/response-head.ts`). Inert media types don't get a policy, because it
 * would prevent browsers from displaying PDFs and playing media.
 */
export function documentPolicy(contentType: string): Readonly<Record<string, string>> {
  const type = parseMediaType(contentType);
  if (type !== undefined && isInert(type)) return {};
  return { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:" };
}

/** Returns the header `Content-Disposition` for the query parameter `download`, which can contain a file name. */
export function contentDisposition(download: string | undefined): string | undefined {
  if (download === undefined) return undefined;
  return download === '' ? 'attachment' : attachment(download);
}

/**
 * Returns the stored value of `Cache-Control`. If the client's copy is stale, the header allows the client to show this
 * copy while it revalidates the copy.
 */
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

/** Whether a string is a valid header value (RFC 9110 section 5.5) that Node can send. */
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

const plainRules = new Set([
  'all',
  'noindex',
  'nofollow',
  'none',
  'nosnippet',
  'indexifembedded',
  'notranslate',
  'noimageindex',
]);

/** The rules that take a value, each with a function that checks the value. */
const valueRules: Record<string, (value: string) => boolean> = {
  'max-snippet': (value) => /^(?:-1|\d+)$/.test(value),
  'max-video-preview': (value) => /^-?\d+$/.test(value),
  'max-image-preview': (value) => value === 'none' || value === 'standard' || value === 'large',
  unavailable_after: (value) => !Number.isNaN(Date.parse(value)),
};

/**
 * Whether the `X-Robots-Tag` that a client stores with an object is valid. The header contains comma-separated rules,
 * each of which can be limited to one crawler.
 */
export function isValidRobotsTag(value: string): boolean {
  const rules = splitRules(value);
  return rules.length > 0 && rules.every(isValidRule);
}

function isValidRule(rule: string): boolean {
  if (plainRules.has(rule)) return true;
  const colon = rule.indexOf(':');
  if (colon < 1) return false;
  const name = rule.slice(0, colon).trim();
  const rest = rule.slice(colon + 1).trim();
  if (rest === '') return false;
  const accepts = Object.hasOwn(valueRules, name) ? valueRules[name] : undefined;
  // Text before a colon that isn't the name of a rule is the name of a crawler.
  return accepts ? accepts(rest) : isValidRule(rest);
}

/**
 * Splits a value into rules. The date in `unavailable_after` can contain a comma ("Wed, 03 Dec 2025 …"). If the text
 * after a comma isn't a valid rule, it is part of the date.
 */
function splitRules(value: string): string[] {
  const rules: string[] = [];
  for (const item of value.split(',').map((part) => part.trim())) {
    const last = rules.at(-1);
    if (last !== undefined && /(?:^|:\s*)unavailable_after:/.test(last) && !isValidRule(item)) {
      rules[rules.length - 1] = `${last}, ${item}`;
    } else {
      rules.push(item);
    }
  }
  return rules;
}
