/**
 * Determines whether an object key can be used as a path inside a folder, so that downloads never write outside this
 * folder.
 */

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
