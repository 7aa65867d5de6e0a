/**
 * Parses the `user_metadata` that a client sends, which is JSON in a form field, or base64-encoded JSON in the header
 * `x-metadata`.
 */
import { isRecord } from '../../../base/shared/json.ts';

export const maxUserMetadataBytes = 1024 * 1024;

/**
 * Returns the metadata object, or undefined if the field doesn't contain an object. As in upstream, invalid JSON and
 * values of other types are ignored instead of rejected.
 */
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
