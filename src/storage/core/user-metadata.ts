/** `user_metadata` as clients send it: JSON in a form field, base64 of JSON in the header `x-metadata`. */

export const maxUserMetadataBytes = 1024 * 1024;

/** An object, or undefined: what is not JSON, or no object, is left out rather than refused (as upstream). */
export function parseMetadataField(json: string | undefined): Record<string, unknown> | undefined {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.includes('\\u0000')
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function parseMetadataHeader(header: string | undefined): Record<string, unknown> | undefined {
  return header === undefined
    ? undefined
    : parseMetadataField(Buffer.from(header, 'base64').toString('utf8'));
}
