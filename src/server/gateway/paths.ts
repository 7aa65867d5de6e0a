import type { Mount } from '../../base/kernel/service.ts';

/** Returns the path of a request's URL, without its query. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '/';

/** Returns the mount whose prefix equals `path` or is a parent of `path`. */
export function findMount(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ prefix }) => isAtOrBelow(path, prefix));
}

export const isAtOrBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(`${parent}/`);
