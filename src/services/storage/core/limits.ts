/** Checks bucket limits, which are file sizes in human-readable form and lists of allowed media types. */
import { parseMediaType } from '../../../base/shared/http/media-type.ts';

const unitBytes: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/**
 * Converts a size such as `"1.5MB"` to bytes. Units are decimal, and the number is rounded to three significant digits.
 * Returns undefined if the text is invalid.
 */
export function parseFileSize(text: string): number | undefined {
  const match = /^([0-9]+(?:\.[0-9]+)?)(gb|mb|kb|b)$/i.exec(text);
  if (!match?.[1] || !match[2]) return undefined;
  const factor = unitBytes[match[2].toLowerCase()] ?? 1;
  return Math.round(Number(Number(match[1]).toPrecision(3)) * factor);
}

/**
 * Whether a pattern is valid in a bucket's list of allowed MIME types. Valid patterns are `image/png`, `image/*` and
 * `*`, each of which can have a charset.
 */
export function isValidMimePattern(pattern: string): boolean {
  if (pattern.length > 1000) return false;
  return /^[a-zA-Z0-9\-+.]+\/[a-zA-Z0-9\-+.]+(?:;\s*charset=[a-zA-Z0-9-]+)?$|\*$/.test(pattern);
}

/**
 * Whether a list allows a media type. An empty list allows all types. Parameters such as the charset aren't part of the
 * type, and case doesn't matter (RFC 9110, section 8.3.1). As in upstream, `*` alone doesn't allow any type.
 */
export function isMimeAllowed(mimeType: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  const wanted = parseMediaType(mimeType);
  if (wanted === undefined) return false;
  return allowed.some((text) => {
    const pattern = parseMediaType(text);
    return pattern?.type === wanted.type && (pattern.subtype === '*' || pattern.subtype === wanted.subtype);
  });
}

/** Returns the smallest of the limits that are defined, in bytes. */
export function smallestLimit(...limits: readonly (number | null | undefined)[]): number {
  return Math.min(...limits.filter((limit) => limit !== null && limit !== undefined));
}
