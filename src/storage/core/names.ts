/**
 * Which object keys and bucket names are allowed: the characters S3 calls safe and those that need care, nothing else.
 * A key never becomes a path, so `..` and empty segments are ordinary names here.
 */

const keyPattern = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/;
const bucketPattern = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/;
/** Names with this ending belong to analytics buckets. */
const reservedSuffix = '--table-s3';

export function isValidKey(key: string): boolean {
  return keyPattern.test(key);
}

export function isValidBucketName(name: string): boolean {
  return bucketPattern.test(name);
}

/** A name a new standard bucket may have: valid, without space around it, not reserved. */
export function isValidNewBucketName(name: string): boolean {
  return isValidBucketName(name) && name.trim() === name && !name.endsWith(reservedSuffix);
}

/** The Console's mark of an empty folder: always allowed, and always empty. */
export function isFolderPlaceholder(key: string): boolean {
  return key.endsWith('.emptyFolderPlaceholder');
}

/** True for the text form of a UUID; only such a `sub` fits the column `owner`. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}
