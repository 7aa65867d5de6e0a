/**
 * Checks the file paths in an upload. The clients that upload a function choose these paths. A path is rejected if it
 * could refer to a file outside the function's folder or has a different meaning on another operating system.
 */

/**
 * The maximum length of a path. This length suffices for source files, and together with the data folder's path, it is
 * short enough for all file systems.
 */
const maxPathChars = 400;
const maxNameBytes = 200;
/** Control characters, and characters that Windows doesn't allow in file names or treats as folder separators. */
const forbidden = /[\p{Cc}\p{Cs}\\:*?"<>|]/u;

/**
 * Returns the path relative to the function's folder, with `/` as the separator and without `.` segments. Returns
 * undefined if the path isn't allowed.
 *
 * @example
 * archivePath('./supabase/functions/hello/index.ts'); // 'supabase/functions/hello/index.ts'
 * archivePath('../secrets.ts'); // undefined
 */
export function archivePath(text: string): string | undefined {
  if (text.length > maxPathChars || text.startsWith('/') || forbidden.test(text)) return undefined;
  const parts = text.split('/').filter((part) => part !== '.' && part !== '');
  if (parts.length === 0 || text.endsWith('/') || parts.some((part) => !isName(part))) return undefined;
  return parts.join('/');
}

/**
 * Whether a file or folder can have this name. Windows removes dots and spaces at the end of a name, so two dots and a
 * space would refer to the parent folder.
 */
const isName = (part: string): boolean => !/[. ]$/.test(part) && Buffer.byteLength(part) <= maxNameBytes;

/**
 * Whether two of the paths conflict because they refer to the same file on a case-insensitive file system, or because
 * one path uses the other as a folder.
 */
export function conflicts(paths: readonly string[]): boolean {
  const files = new Set(paths.map(folded));
  if (files.size < paths.length) return true;
  return [...files].some((path) => parentsOf(path).some((parent) => files.has(parent)));
}

const folded = (path: string): string => path.normalize('NFC').toLowerCase();

function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}
