/** The paths at which the files of a deployed function are saved in a project folder. */
import { posix } from 'node:path';

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
