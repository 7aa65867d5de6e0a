/** The files of functions in requests, with their contents in base64, because the control port transfers JSON. */

export interface SentFile {
  readonly path: string;
  readonly content: Buffer;
}

interface EncodedFile {
  readonly path: string;
  readonly base64: string;
}

/** If the value has the field `files`, encodes the file contents in this field. */
export function encodeFiles(value: unknown): unknown {
  return withFiles(
    value,
    ({ path, content }: SentFile): EncodedFile => ({
      path,
      base64: content.toString('base64'),
    }),
  );
}

export function decodeFiles(value: unknown): unknown {
  return withFiles(
    value,
    ({ path, base64 }: EncodedFile): SentFile => ({
      path,
      content: Buffer.from(base64, 'base64'),
    }),
  );
}

function withFiles<From, To>(value: unknown, convert: (file: From) => To): unknown {
  if (typeof value !== 'object' || value === null || !('files' in value) || !Array.isArray(value.files))
    return value;
  return { ...value, files: (value.files as From[]).map(convert) };
}
