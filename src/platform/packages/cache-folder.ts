/** Finds the folder in which all projects of a user share downloaded packages and prepared clusters. */
import { posix, win32 } from 'node:path';
import type { Environment } from './types.ts';

export interface User {
  readonly os: string;
  readonly home: string;
  readonly env: Environment;
}

/**
 * Returns the path to the cache folder, following the operating system's conventions. `PLINTH_CACHE_DIR` overrides it.
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
