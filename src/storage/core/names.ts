/**
 * Validates object keys and bucket names. Allows only the characters that S3 lists as safe or as requiring special
 * handling. Keys never become paths, so `..` and empty segments are allowed.
 */

const keyPattern = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const bucketPattern = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;
/** The suffix reserved for analytics buckets. */
const reservedSuffix = '--table-s3';

export function isValidKey(key: string): boolean {
  return keyPattern.test(key);
}

export function isValidBucketName(name: string): boolean {
  return bucketPattern.test(name);
}

/** Whether a new standard bucket can have this name: valid, trimmed and not reserved. */
export function isValidNewBucketName(name: string): boolean {
  return isValidBucketName(name) && name.trim() === name && !name.endsWith(reservedSuffix);
}

/** The Console's placeholder for an empty folder. Always allowed and always empty. */
export function isFolderPlaceholder(key: string): boolean {
  return key.endsWith('.emptyFolderPlaceholder');
}

/** Whether the text is a UUID. The column `owner` accepts only a `sub` that is a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
