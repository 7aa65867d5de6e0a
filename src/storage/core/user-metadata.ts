/** Parses `user_metadata` as sent by clients: JSON in a form field, or base64 of JSON in the header `x-metadata`. */
import { isRecord } from '../../shared/is-record.ts';

export const maxUserMetadataBytes = 1024 * 1024;

/** Returns an object, or undefined: invalid JSON and other types are ignored instead of rejected (as in upstream). */
export function parseMetadataField(json: string | undefined): Record<string, unknown> | undefined {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) && !json.includes('\\u0000') ? value : undefined;
  } catch {
    return undefined;
  }
}

export function parseMetadataHeader(header: string | undefined): Record<string, unknown> | undefined {
  return header === undefined
    ? undefined
    : parseMetadataField(Buffer.from(header, 'base64').toString('utf8'));
}
