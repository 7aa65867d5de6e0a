/** Parses URLs of the form `ss:///bucket/key`, with which upstream's CLI identifies buckets and objects. */
import { UsageError } from '../../command.ts';

/** A bucket, object or folder. */
export interface StoragePath {
  /** The bucket's name, which is empty for all buckets. */
  readonly bucket: string;
  /** The object's key, which is empty for the whole bucket. The key of a folder ends with a slash. */
  readonly key: string;
  /**
   * Whether the path ends with a slash. `ss:///a/` means the bucket `a`, but `ss:///a` means all buckets whose names
   * begin with `a`.
   */
  readonly isFolder: boolean;
}

export const isStorageUrl = (text: string): boolean => /^ss:/i.test(text);

/**
 * Parses a storage URL. As in upstream, percent escapes are decoded. The characters `?` and `#` belong to the key,
 * because a key that ends before such a character would identify a different object.
 *
 * @throws {UsageError}
 * @example parseStorageUrl('ss:///images/cats/1.png'); // { bucket: 'images', key: 'cats/1.png', isFolder: false }
 */
export function parseStorageUrl(text: string): StoragePath {
  const path = /^ss:\/\/\/(.*)$/is.exec(text)?.[1];
  if (path === undefined)
    throw new UsageError(`${text}: the URL must match the pattern ss:///bucket/[prefix]`);
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    throw new UsageError(`${text}: invalid percent escape; write % as %25`);
  }
  const slash = decoded.indexOf('/');
  return {
    bucket: slash < 0 ? decoded : decoded.slice(0, slash),
    key: slash < 0 ? '' : decoded.slice(slash + 1),
    isFolder: decoded === '' || decoded.endsWith('/'),
  };
}

/** Returns the path shown to users. @example shownPath({ bucket: 'images', key: 'a.png' }); // '/images/a.png' */
export const shownPath = ({ bucket, key }: Pick<StoragePath, 'bucket' | 'key'>): string =>
  `/${bucket}/${key}`;

/** Returns the path's last segment, or the bucket's name. The result is empty for all buckets. */
export function baseName({ bucket, key }: Pick<StoragePath, 'bucket' | 'key'>): string {
  const trimmed = key.replace(/\/+$/, '');
  return trimmed === '' ? bucket : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

/** Returns the key of a folder, which ends with a slash. An empty key refers to the bucket's root. */
export const folderKey = (key: string): string => (key === '' || key.endsWith('/') ? key : `${key}/`);
