/** Parses the `ss://` URLs of objects and folders, and maps object keys to local paths and back. */
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

/** Whether the target exists, as an object or as a folder. */
export interface TargetState {
  readonly isObject: boolean;
  readonly isFolder: boolean;
}

type Address = Pick<StoragePath, 'bucket' | 'key'>;

/** Returns the target bucket and key of a single file. If the target is a folder, the file keeps its name. */
export function fileTarget(target: StoragePath, fileName: string, state: TargetState): Address {
  const isFolder = target.key === '' || target.isFolder || (state.isFolder && !state.isObject);
  return isFolder ? inside(target, fileName) : { bucket: target.bucket, key: target.key };
}

/**
 * Returns the target bucket and key of a file in an uploaded folder. If the target folder exists, the uploaded folder
 * is created inside the target. Otherwise, the folder is uploaded under the target's name. If no bucket is specified,
 * the folder's name is the bucket name.
 */
export function folderTarget(
  target: StoragePath,
  folder: { readonly name: string; readonly path: string },
  state: TargetState,
): Address {
  if (target.bucket === '') return { bucket: folder.name, key: folder.path };
  return inside(target, state.isFolder ? `${folder.name}/${folder.path}` : folder.path);
}

const inside = ({ bucket, key }: StoragePath, path: string): Address => ({
  bucket,
  key: `${folderKey(key)}${path}`,
});

/** The names that Windows reserves in every folder, with any extension. */
const windowsDevices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: file names can't contain control characters on Windows
const windowsForbidden = /[<>:"|?*\u0000-\u001f]/;

/**
 * Returns the path segments, or undefined if the key can't be a file path. Ignores a trailing slash, which marks a
 * folder.
 *
 * @example
 * localSegments('docs/a.txt', 'linux'); // ['docs', 'a.txt']
 * localSegments('../a.txt', 'linux'); // undefined
 */
export function localSegments(key: string, platform: NodeJS.Platform): readonly string[] | undefined {
  const segments = key.replace(/\/$/, '').split('/');
  return segments.every((segment) => isSafe(segment, platform)) ? segments : undefined;
}

function isSafe(segment: string, platform: NodeJS.Platform): boolean {
  if (segment === '' || segment === '.' || segment === '..') return false;
  if (/[\\\0]/.test(segment)) return false;
  if (platform !== 'win32') return true;
  return !windowsForbidden.test(segment) && !/[. ]$/.test(segment) && !windowsDevices.test(segment);
}
