import type { Mount } from '../../base/kernel/service.ts';

/** Returns the mount whose prefix equals `path` or is a parent of `path`. */
export function findMount(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ prefix }) => isAtOrBelow(path, prefix));
}

export const isAtOrBelow = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(`${parent}/`);
