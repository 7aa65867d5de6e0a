/**
 * Stores package groups in the user's cache folder. A group's folder is complete whenever it exists, because the folder
 * is created under a temporary name and then renamed. The folder's name contains a hash of the exact packages, so
 * several versions of Plinth share the cache.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { claim } from './claim.ts';
import type { Environment, FillOptions, StoredGroup } from './types.ts';

/** Returns a group's folder, even if it doesn't exist. */
export function groupFolder(cache: string, { group, packages }: StoredGroup): string {
  const key = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12);
  return join(cache, 'packages', `${group}-${key}`);
}

/** Installs a group, unless it is already installed. Several processes can call this method at the same time. */
export async function fillGroup(cache: string, stored: StoredGroup, options: FillOptions): Promise<string> {
  const folder = groupFolder(cache, stored);
  if (existsSync(folder)) return folder;
  makeCache(cache);
  // This module is loaded only if needed, because most starts find the group in the cache.
  const { install, titles } = await import('./install.ts');
  await claim(
    `${folder}.claim`,
    () => existsSync(folder),
    () => install(folder, stored, options),
    {
      onWait: () => options.onProgress(`Waiting for another process that installs ${titles[stored.group]}`),
      signal: options.signal,
    },
  );
  return folder;
}

/** Only the user has write access to the cache, because the programs in the cache run with the user's permissions. */
function makeCache(cache: string): void {
  mkdirSync(join(cache, 'packages'), { recursive: true, mode: 0o755 });
  if (process.platform !== 'win32') chmodSync(cache, 0o755);
}

interface User {
  readonly os: string;
  readonly home: string;
  readonly env: Environment;
}

/**
 * Returns the path to the folder in which all projects of a user share downloaded packages and prepared clusters,
 * following the operating system's conventions. `PLINTH_CACHE_DIR` overrides it.
 *
 * @example cacheFolder({ os: 'linux', home: '/home/ada', env: {} }); // '/home/ada/.cache/plinth'
 */
export function cacheFolder({ os, home, env }: User): string {
  if (env.PLINTH_CACHE_DIR) return env.PLINTH_CACHE_DIR;
  if (os === 'win32') {
    return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'plinth', 'Cache');
  }
  if (os === 'darwin') return posix.join(home, 'Library', 'Caches', 'plinth');
  // According to the XDG Base Directory specification, a relative path is invalid and must be ignored.
  const base = env.XDG_CACHE_HOME?.startsWith('/') ? env.XDG_CACHE_HOME : posix.join(home, '.cache');
  return posix.join(base, 'plinth');
}
