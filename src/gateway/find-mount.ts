import type { Mount } from '../kernel/service.ts';

/** Returns the mount whose prefix equals `path` or is a parent of it. */
export function findMount(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
}
