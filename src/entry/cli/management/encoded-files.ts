/**
 * The files of functions in requests: their contents in base64, because the control port transfers JSON, and the paths
 * at which downloaded files are saved.
 */
import { posix } from 'node:path';

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

/**
 * Returns the path at which the file is saved, relative to `supabase/functions`. As in upstream's CLI 3.1, the
 * entrypoint is placed in the function's folder, and other files keep their position relative to the entrypoint.
 * Returns undefined if this path would be outside `supabase/functions`.
 *
 * @example
 * downloadPath('hello', 'supabase/functions/hello/index.ts', 'supabase/functions/_shared/a.ts'); // '_shared/a.ts'
 */
export function downloadPath(slug: string, entrypoint: string, path: string): string | undefined {
  if (![path, entrypoint].every(isBelow)) return undefined;
  const target = posix.join(slug, posix.relative(posix.dirname(entrypoint), path));
  return target.startsWith('..') || target === '.' || target.endsWith('/') ? undefined : target;
}

function isBelow(path: string): boolean {
  const normalized = posix.normalize(path);
  return !/[\p{Cc}\\:]/u.test(path) && !posix.isAbsolute(path) && !/^\.\.(?:\/|$)/.test(normalized);
}
