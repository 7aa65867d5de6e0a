/**
 * Builds request paths from object names. The paths are checked because the names come from the source and the requests
 * contain the service key.
 */

/**
 * Returns the path of an object below `/storage/v1/object/`. Returns undefined if an HTTP client would change the path
 * because of empty, `.` or `..` segments.
 *
 * @example objectPath('files', 'a b/c.txt'); // 'files/a%20b/c.txt'
 */
export function objectPath(bucket: string, name: string): string | undefined {
  const segments = [bucket, ...name.split('/')];
  const isStable = segments.every(
    (segment, index) =>
      segment !== '.' &&
      segment !== '..' &&
      (segment !== '' || index === segments.length - 1) &&
      segment.isWellFormed(),
  );
  if (!isStable || bucket === '' || bucket.includes('/') || name === '') return undefined;
  return segments.map(encodeURIComponent).join('/');
}
