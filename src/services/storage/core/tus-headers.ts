/** Parses and formats headers of the TUS protocol 1.0.0 (https://tus.io/protocols/resumable-upload). */

export const tusVersion = '1.0.0';

/** The names and values in the header `Upload-Metadata`. If a key has no value, the value is null. */
export type TusMetadata = Readonly<Record<string, string | null>>;

const base64Pattern = /^[\d+/A-Za-z]*={0,2}$/;

/**
 * Parses the header. Returns undefined if the header doesn't contain unique ASCII keys without spaces, each with an
 * optional base64 value (section "Upload-Metadata").
 *
 * @example
 * parseTusMetadata('bucketName cGhvdG9z,is_draft'); // { bucketName: 'photos', is_draft: null }
 */
export function parseTusMetadata(header: string): TusMetadata | undefined {
  const found = new Map<string, string | null>();
  for (const pair of header.split(',')) {
    const [key = '', value, more] = pair.split(' ');
    if (more !== undefined || !/^[\x21-\x2b\x2d-\x7f]+$/.test(key) || found.has(key)) return undefined;
    if (value === undefined || value === '') found.set(key, null);
    else if (value.length % 4 === 0 && base64Pattern.test(value))
      found.set(key, Buffer.from(value, 'base64').toString('utf8'));
    else return undefined;
  }
  return Object.fromEntries(found);
}

export function printTusMetadata(metadata: TusMetadata): string {
  return Object.entries(metadata)
    .map(([key, value]) => (value === null ? key : `${key} ${Buffer.from(value, 'utf8').toString('base64')}`))
    .join(',');
}

/** Parses the byte count of `Upload-Length` or `Upload-Offset`. Returns undefined if the byte count is invalid. */
export function parseByteCount(header: string): number | undefined {
  const count = Number(header);
  return /^(?:0|[1-9]\d*)$/.test(header) && Number.isSafeInteger(count) ? count : undefined;
}

/** Returns the Cache-Control value for a number of seconds. As in upstream, any other text disables caching. */
export function tusCacheControl(field: string | null | undefined): string {
  return typeof field === 'string' && /^-?\d+$/.test(field) ? `max-age=${field}` : 'no-cache';
}
