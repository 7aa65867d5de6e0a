/**
 * Validates object keys and bucket names. Keys and names can contain only the characters that S3 lists as safe or as
 * requiring special handling. Keys never become paths, so `..` and empty segments are allowed.
 */

/** The address of an object: its bucket, and its key in the bucket. */
export interface ObjectAddress {
  readonly bucketId: string;
  readonly key: string;
}

const keyPattern = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const bucketPattern = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;
/** The suffix of the names of analytics buckets. The names of other buckets can't end with this suffix. */
const reservedSuffix = '--table-s3';

export function isValidKey(key: string): boolean {
  return keyPattern.test(key);
}

export function isValidBucketName(name: string): boolean {
  return bucketPattern.test(name);
}

/**
 * Whether a new standard bucket can have this name. The name must be valid, must not begin or end with a space, and
 * must not be reserved.
 */
export function isValidNewBucketName(name: string): boolean {
  return isValidBucketName(name) && name.trim() === name && !name.endsWith(reservedSuffix);
}

/**
 * Whether the key is the Console's placeholder for an empty folder. A placeholder is always allowed and always empty.
 */
export function isFolderPlaceholder(key: string): boolean {
  return key.endsWith('.emptyFolderPlaceholder');
}

/** Whether the text is a UUID. The `owner` column accepts a `sub` only if it is a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
