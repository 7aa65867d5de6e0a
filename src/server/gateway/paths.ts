import { originForm } from '../../base/kernel/http.ts';
import type { Mount } from '../../base/kernel/service.ts';

/** Returns the path of a request's URL, without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Returns the mount whose prefix equals `path` or is a parent of `path`. */
export function findMount(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ prefix }) => isAtOrBelow(path, prefix));
}

/**
 * Returns a function that finds the mount of a request target. Several parts of the gateway look up the same request in
 * turn, so the function remembers the last target.
 */
export function createMountFinder(mounts: readonly Mount[]): (url: string) => Mount | undefined {
  let lastUrl: string | undefined;
  let lastMount: Mount | undefined;
  return (url) => {
    if (url !== lastUrl) {
      lastMount = findMount(mounts, pathOf(originForm(url)));
      lastUrl = url;
    }
    return lastMount;
  };
}

const slash = '/'.charCodeAt(0);

export const isAtOrBelow = (path: string, parent: string): boolean =>
  path.startsWith(parent) && (path.length === parent.length || path.charCodeAt(parent.length) === slash);
